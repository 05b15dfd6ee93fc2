// The `noop` storage interface: somebody else does that work, so every node is fit for it.
import { defineInterface } from '#plugin-api';

export const accepting = defineInterface({ properties: {}, validate() {} });
