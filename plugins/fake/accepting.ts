// The interface `fake` of the interface types that need nothing but `validate`: accepts every node.
import { defineInterface } from '#plugin-api';

export const accepting = defineInterface({ properties: {}, validate() {} });
