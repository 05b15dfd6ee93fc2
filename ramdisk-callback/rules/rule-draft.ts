// The data that inspection rules see and change.
import type { LogLine } from '../../daemon/conductor/inspection/report-processor.ts';
import type { JsonObject } from '../../daemon/model/json.ts';

export interface RuleDraft {
  /** Fields by their API names; secrets in clear text. */
  node: JsonObject;
  readonly ports: JsonObject[];
  pluginData: JsonObject;
  log(level: LogLine['level'], message: string): void;
  callApi(url: string, options: JsonObject): void | Promise<void>;
  /** Called after each action. Throws InspectionError for a change that cannot be stored. */
  take(author: string): void;
}
