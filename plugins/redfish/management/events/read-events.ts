// The events in a message of a BMC, as sentences.
import type { JsonObject } from '#plugin-api';
import { objectsIn, textIn } from '../../bmc/fields.ts';
import { redfishLimits } from '../../limits.ts';

export const eventsIn = ({ Events: events }: JsonObject): readonly string[] =>
  objectsIn(events).flatMap((event) => {
    const text = textIn(event['Message']) ?? textIn(event['MessageId']) ?? textIn(event['EventType']);
    const severity = textIn(event['MessageSeverity']) ?? textIn(event['Severity']) ?? 'OK';
    if (text === undefined) return [];
    const short = text.slice(0, redfishLimits.eventCharacters);
    return [severity === 'OK' ? short : `${severity}: ${short}`];
  });
