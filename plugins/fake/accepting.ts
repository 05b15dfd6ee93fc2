// The `fake` interface of every type that is validated only: any node will do.
import { defineInterface } from '#plugin-api';

export const accepting = defineInterface({ properties: {}, validate() {} });
