-- Indexes for listing nodes and ports by any filter and in common orders without reading every record. Each index costs
-- time on every write of its column, so free texts and columns that are neither filtered nor sorted by have none.

DROP INDEX nodes_chassis_uuid;
DROP INDEX nodes_parent_node;
DROP INDEX ports_portgroup_uuid;

CREATE INDEX nodes_driver ON nodes (driver);
CREATE INDEX nodes_instance_name ON nodes (instance_name);
CREATE INDEX nodes_chassis_uuid ON nodes (chassis_uuid);
CREATE INDEX nodes_resource_class ON nodes (resource_class);
CREATE INDEX nodes_maintenance ON nodes (maintenance);
CREATE INDEX nodes_fault ON nodes (fault);
CREATE INDEX nodes_power_state ON nodes (power_state);
CREATE INDEX nodes_provision_updated_at ON nodes (provision_updated_at);
CREATE INDEX nodes_bios_interface ON nodes (bios_interface);
CREATE INDEX nodes_boot_interface ON nodes (boot_interface);
CREATE INDEX nodes_console_interface ON nodes (console_interface);
CREATE INDEX nodes_deploy_interface ON nodes (deploy_interface);
CREATE INDEX nodes_firmware_interface ON nodes (firmware_interface);
CREATE INDEX nodes_inspect_interface ON nodes (inspect_interface);
CREATE INDEX nodes_management_interface ON nodes (management_interface);
CREATE INDEX nodes_network_interface ON nodes (network_interface);
CREATE INDEX nodes_power_interface ON nodes (power_interface);
CREATE INDEX nodes_raid_interface ON nodes (raid_interface);
CREATE INDEX nodes_rescue_interface ON nodes (rescue_interface);
CREATE INDEX nodes_storage_interface ON nodes (storage_interface);
CREATE INDEX nodes_vendor_interface ON nodes (vendor_interface);
CREATE INDEX nodes_conductor_group ON nodes (conductor_group);
CREATE INDEX nodes_owner ON nodes (owner);
CREATE INDEX nodes_lessee ON nodes (lessee);
CREATE INDEX nodes_retired ON nodes (retired);
CREATE INDEX nodes_shard ON nodes (shard);
CREATE INDEX nodes_parent_node ON nodes (parent_node);
CREATE INDEX nodes_auto_discovered ON nodes (auto_discovered);
CREATE INDEX nodes_created_at ON nodes (created_at);
CREATE INDEX nodes_updated_at ON nodes (updated_at);

-- in the order of creation
CREATE INDEX nodes_associated ON nodes (id) WHERE instance_uuid IS NOT NULL;
CREATE INDEX nodes_sharded ON nodes (id) WHERE shard IS NOT NULL;
CREATE INDEX nodes_described ON nodes (id) WHERE description IS NOT NULL;
CREATE INDEX ports_described ON ports (id) WHERE description IS NOT NULL;

CREATE INDEX ports_pxe_enabled ON ports (pxe_enabled);
CREATE INDEX ports_portgroup_uuid ON ports (portgroup_uuid);
CREATE INDEX ports_physical_network ON ports (physical_network);
CREATE INDEX ports_is_smartnic ON ports (is_smartnic);
CREATE INDEX ports_vendor ON ports (vendor);
CREATE INDEX ports_category ON ports (category);
CREATE INDEX ports_available_for_dynamic_portgroup ON ports (available_for_dynamic_portgroup);
CREATE INDEX ports_created_at ON ports (created_at);
CREATE INDEX ports_updated_at ON ports (updated_at);
