// Sends the events of the simulated machine to the BMC's subscribers.
import { OWN_CONNECTION } from '../own-connection.ts';
import type { FakeEvent, FakeMachine } from './machine.ts';
import { textOr } from './resources/odata.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/** Resolves when all subscribers have answered or failed; a BMC does not repeat an event that could not be delivered. */
export async function pushEvent({ subscriptions }: FakeMachine, event: FakeEvent): Promise<void> {
  const { message: Message, messageId: MessageId, severity: Severity } = event;
  const sent = [...subscriptions.values()].map(({ Destination: destination, Context }) =>
    fetch(textOr(destination), {
      method: 'POST',
      headers: { ...OWN_CONNECTION, 'content-type': 'application/json' },
      body: JSON.stringify({
        '@odata.type': '#Event.v1_7_0.Event',
        Id: '1',
        Name: 'Event Array',
        Context,
        Events: [{ EventType: 'Alert', MemberId: '0', Message, MessageId, Severity }],
      }),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    }),
  );
  await Promise.allSettled(sent);
}
