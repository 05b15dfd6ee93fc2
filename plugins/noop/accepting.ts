// The `noop` storage interface: storage is managed outside the daemon, so every node is valid.
import { defineInterface } from '#plugin-api';

export const accepting = defineInterface({ properties: {}, validate() {} });
