// Makes calls of gophercloud's bare metal packages: reads call and args of each as a line of JSON, and answers with a line of
// JSON with result or error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/apiversions"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/httpbasic"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/noauth"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/allocations"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/conductors"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/drivers"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/nodes"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/ports"
	"github.com/gophercloud/gophercloud/v2/pagination"
)

type arguments []json.RawMessage

type question struct {
	Call string    `json:"call"`
	Args arguments `json:"args"`
}

// The argument at an index; the zero value when it is not given.
func at[T any](args arguments, index int) (value T) {
	if index < len(args) {
		if err := json.Unmarshal(args[index], &value); err != nil {
			panic(err)
		}
	}
	return value
}

// The first argument: what the call is about.
func id(args arguments) string { return at[string](args, 0) }

func all[T any](pager pagination.Pager, extract func(pagination.Page) ([]T, error)) (any, error) {
	page, err := pager.AllPages(ctx)
	if err != nil {
		return nil, err
	}
	found, err := extract(page)
	if found == nil {
		found = []T{}
	}
	return found, err
}

type extractable interface{ ExtractInto(any) error }

// The answer as it came: gophercloud has no type for it, or one that only some answers fit.
func plain(result extractable) (value any, err error) {
	err = result.ExtractInto(&value)
	return value, err
}

type ending interface{ ExtractErr() error }

func done(result ending) (any, error) { return nil, result.ExtractErr() }

func first(service *gophercloud.ServiceClient, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	service.Microversion = microversion
	return all(nodes.List(service, nodes.ListOpts{Limit: 1}), nodes.ExtractNodes)
}

func nodeChanges(operations []nodes.UpdateOperation) (opts nodes.UpdateOpts) {
	for _, operation := range operations {
		opts = append(opts, operation)
	}
	return opts
}

func portChanges(operations []ports.UpdateOperation) (opts ports.UpdateOpts) {
	for _, operation := range operations {
		opts = append(opts, operation)
	}
	return opts
}

const microversion = "1.115"

var ctx = context.Background()
var root, client = connect(os.Getenv("OS_ENDPOINT"))

func connect(url string) (root, versioned *gophercloud.ServiceClient) {
	for path, service := range map[string]**gophercloud.ServiceClient{"/": &root, "/v1/": &versioned} {
		connected, err := noauth.NewBareMetalNoAuth(noauth.EndpointOpts{IronicEndpoint: url + path})
		if err != nil {
			panic(err)
		}
		connected.Microversion = microversion
		*service = connected
	}
	return root, versioned
}

var calls = map[string]func(arguments) (any, error){
	"noauth.NewBareMetalNoAuth": func(args arguments) (any, error) {
		return first(noauth.NewBareMetalNoAuth(at[noauth.EndpointOpts](args, 0)))
	},
	"httpbasic.NewBareMetalHTTPBasic": func(args arguments) (any, error) {
		return first(httpbasic.NewBareMetalHTTPBasic(at[httpbasic.EndpointOpts](args, 0)))
	},
	"apiversions.List": func(arguments) (any, error) { return apiversions.List(ctx, root).Extract() },
	"apiversions.Get":  func(args arguments) (any, error) { return apiversions.Get(ctx, root, id(args)).Extract() },

	"allocations.Create": func(args arguments) (any, error) {
		return allocations.Create(ctx, client, at[allocations.CreateOpts](args, 0)).Extract()
	},
	"allocations.List": func(args arguments) (any, error) {
		return all(allocations.List(client, at[allocations.ListOpts](args, 0)), allocations.ExtractAllocations)
	},
	"allocations.Get":    func(args arguments) (any, error) { return allocations.Get(ctx, client, id(args)).Extract() },
	"allocations.Delete": func(args arguments) (any, error) { return done(allocations.Delete(ctx, client, id(args))) },

	"conductors.List": func(args arguments) (any, error) {
		return all(conductors.List(client, at[conductors.ListOpts](args, 0)), conductors.ExtractConductors)
	},
	"conductors.Get": func(args arguments) (any, error) { return conductors.Get(ctx, client, id(args)).Extract() },

	"drivers.ListDrivers": func(args arguments) (any, error) {
		return all(drivers.ListDrivers(client, at[drivers.ListDriversOpts](args, 0)), drivers.ExtractDrivers)
	},
	"drivers.GetDriverDetails": func(args arguments) (any, error) {
		return drivers.GetDriverDetails(ctx, client, id(args)).Extract()
	},
	"drivers.GetDriverProperties": func(args arguments) (any, error) {
		return drivers.GetDriverProperties(ctx, client, id(args)).Extract()
	},
	"drivers.GetDriverDiskProperties": func(args arguments) (any, error) {
		return drivers.GetDriverDiskProperties(ctx, client, id(args)).Extract()
	},
	"drivers.ListVendorPassthruMethods": func(args arguments) (any, error) {
		return drivers.ListVendorPassthruMethods(ctx, client, id(args)).Extract()
	},
	"drivers.CallVendorPassthru": func(args arguments) (any, error) {
		opts := at[drivers.VendorPassthruCallOpts](args, 2)
		return plain(drivers.CallVendorPassthru(ctx, client, id(args), at[string](args, 1), opts))
	},

	"ports.Create": func(args arguments) (any, error) {
		return ports.Create(ctx, client, at[ports.CreateOpts](args, 0)).Extract()
	},
	"ports.List": func(args arguments) (any, error) {
		return all(ports.List(client, at[ports.ListOpts](args, 0)), ports.ExtractPorts)
	},
	"ports.ListDetail": func(args arguments) (any, error) {
		return all(ports.ListDetail(client, at[ports.ListOpts](args, 0)), ports.ExtractPorts)
	},
	"ports.Get": func(args arguments) (any, error) { return ports.Get(ctx, client, id(args)).Extract() },
	"ports.Update": func(args arguments) (any, error) {
		return ports.Update(ctx, client, id(args), portChanges(at[[]ports.UpdateOperation](args, 1))).Extract()
	},
	"ports.Delete": func(args arguments) (any, error) { return done(ports.Delete(ctx, client, id(args))) },

	"nodes.Create": func(args arguments) (any, error) {
		return nodes.Create(ctx, client, at[nodes.CreateOpts](args, 0)).Extract()
	},
	"nodes.List": func(args arguments) (any, error) {
		return all(nodes.List(client, at[nodes.ListOpts](args, 0)), nodes.ExtractNodes)
	},
	"nodes.ListDetail": func(args arguments) (any, error) {
		return all(nodes.ListDetail(client, at[nodes.ListOpts](args, 0)), nodes.ExtractNodes)
	},
	"nodes.Get": func(args arguments) (any, error) { return nodes.Get(ctx, client, id(args)).Extract() },
	"nodes.Update": func(args arguments) (any, error) {
		return nodes.Update(ctx, client, id(args), nodeChanges(at[[]nodes.UpdateOperation](args, 1))).Extract()
	},
	"nodes.Delete":    func(args arguments) (any, error) { return done(nodes.Delete(ctx, client, id(args))) },
	"nodes.Validate":  func(args arguments) (any, error) { return nodes.Validate(ctx, client, id(args)).Extract() },
	"nodes.InjectNMI": func(args arguments) (any, error) { return done(nodes.InjectNMI(ctx, client, id(args))) },
	"nodes.SetBootDevice": func(args arguments) (any, error) {
		return done(nodes.SetBootDevice(ctx, client, id(args), at[nodes.BootDeviceOpts](args, 1)))
	},
	"nodes.GetBootDevice": func(args arguments) (any, error) {
		return nodes.GetBootDevice(ctx, client, id(args)).Extract()
	},
	"nodes.GetSupportedBootDevices": func(args arguments) (any, error) {
		return nodes.GetSupportedBootDevices(ctx, client, id(args)).Extract()
	},
	"nodes.ChangeProvisionState": func(args arguments) (any, error) {
		return done(nodes.ChangeProvisionState(ctx, client, id(args), at[nodes.ProvisionStateOpts](args, 1)))
	},
	"nodes.ChangePowerState": func(args arguments) (any, error) {
		return done(nodes.ChangePowerState(ctx, client, id(args), at[nodes.PowerStateOpts](args, 1)))
	},
	"nodes.SetRAIDConfig": func(args arguments) (any, error) {
		return done(nodes.SetRAIDConfig(ctx, client, id(args), at[nodes.RAIDConfigOpts](args, 1)))
	},
	"nodes.ListBIOSSettings": func(args arguments) (any, error) {
		return nodes.ListBIOSSettings(ctx, client, id(args), at[nodes.ListBIOSSettingsOpts](args, 1)).Extract()
	},
	"nodes.GetBIOSSetting": func(args arguments) (any, error) {
		return plain(nodes.GetBIOSSetting(ctx, client, id(args), at[string](args, 1)))
	},
	"nodes.GetVendorPassthruMethods": func(args arguments) (any, error) {
		return plain(nodes.GetVendorPassthruMethods(ctx, client, id(args)))
	},
	"nodes.ListVendorPassthruMethods": func(args arguments) (any, error) {
		return nodes.ListVendorPassthruMethods(ctx, client, id(args)).Extract()
	},
	"nodes.CallVendorPassthru": func(args arguments) (any, error) {
		opts := at[nodes.VendorPassthruCallOpts](args, 2)
		return nodes.CallVendorPassthru(ctx, client, id(args), at[string](args, 1), opts).Extract()
	},
	"nodes.GetAllSubscriptions": func(args arguments) (any, error) {
		return plain(nodes.GetAllSubscriptions(ctx, client, id(args), at[nodes.CallVendorPassthruOpts](args, 1)))
	},
	"nodes.GetSubscription": func(args arguments) (any, error) {
		method, opts := at[nodes.CallVendorPassthruOpts](args, 1), at[nodes.GetSubscriptionOpts](args, 2)
		return plain(nodes.GetSubscription(ctx, client, id(args), method, opts))
	},
	"nodes.CreateSubscription": func(args arguments) (any, error) {
		method, opts := at[nodes.CallVendorPassthruOpts](args, 1), at[nodes.CreateSubscriptionOpts](args, 2)
		return plain(nodes.CreateSubscription(ctx, client, id(args), method, opts))
	},
	"nodes.DeleteSubscription": func(args arguments) (any, error) {
		method, opts := at[nodes.CallVendorPassthruOpts](args, 1), at[nodes.DeleteSubscriptionOpts](args, 2)
		return done(nodes.DeleteSubscription(ctx, client, id(args), method, opts))
	},
	"nodes.SetMaintenance": func(args arguments) (any, error) {
		return done(nodes.SetMaintenance(ctx, client, id(args), at[nodes.MaintenanceOpts](args, 1)))
	},
	"nodes.UnsetMaintenance": func(args arguments) (any, error) {
		return done(nodes.UnsetMaintenance(ctx, client, id(args)))
	},
	"nodes.GetInventory": func(args arguments) (any, error) { return nodes.GetInventory(ctx, client, id(args)).Extract() },
	"nodes.ListFirmware": func(args arguments) (any, error) { return nodes.ListFirmware(ctx, client, id(args)).Extract() },
	"nodes.AttachVirtualMedia": func(args arguments) (any, error) {
		return done(nodes.AttachVirtualMedia(ctx, client, id(args), at[nodes.AttachVirtualMediaOpts](args, 1)))
	},
	"nodes.DetachVirtualMedia": func(args arguments) (any, error) {
		return done(nodes.DetachVirtualMedia(ctx, client, id(args), at[nodes.DetachVirtualMediaOpts](args, 1)))
	},
	"nodes.GetVirtualMedia": func(args arguments) (any, error) { return plain(nodes.GetVirtualMedia(ctx, client, id(args))) },
	"nodes.ListVirtualInterfaces": func(args arguments) (any, error) {
		return nodes.ListVirtualInterfaces(ctx, client, id(args)).Extract()
	},
	"nodes.AttachVirtualInterface": func(args arguments) (any, error) {
		return done(nodes.AttachVirtualInterface(ctx, client, id(args), at[nodes.VirtualInterfaceOpts](args, 1)))
	},
	"nodes.DetachVirtualInterface": func(args arguments) (any, error) {
		return done(nodes.DetachVirtualInterface(ctx, client, id(args), at[string](args, 1)))
	},
}

func answer(line []byte) map[string]any {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return map[string]any{"error": err.Error()}
	}
	call, known := calls[asked.Call]
	if !known {
		return map[string]any{"error": fmt.Sprintf("%s is not among the calls", asked.Call)}
	}
	result, err := call(asked.Args)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"result": result}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := answers.Encode(answer(lines.Bytes())); err != nil {
			panic(err)
		}
	}
}
