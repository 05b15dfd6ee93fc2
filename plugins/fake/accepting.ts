// The `fake` interface for types that only need validation: accepts every node.
import { defineInterface } from '#plugin-api';

export const accepting = defineInterface({ properties: {}, validate() {} });
