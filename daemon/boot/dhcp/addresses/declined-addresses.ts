// Which addresses each machine has declined lately. A DECLINE decides only about the machine that sends it: the machine is offered
// another address, and the declined one goes to others once the server itself has found no host that uses it.
import type { IpNumber } from '../../../config/dhcp-subnet.ts';
import type { Clock } from '../../../lib/clock.ts';
import { RecentMap } from '../../../lib/limits/recent-map.ts';
import { dhcpLimits } from '../../limits.ts';

interface Declined {
  readonly address: IpNumber;
  readonly until: number;
}

export class DeclinedAddresses {
  readonly #clock: Clock;
  readonly #byMachine = new RecentMap<string, readonly Declined[]>(dhcpLimits.decliningMachines);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns false, and remembers nothing, when the machine has declined too many addresses already. */
  note(mac: string, address: IpNumber): boolean {
    const declined = this.#of(mac);
    if (declined.length >= dhcpLimits.declinedAddresses) return false;
    const until = this.#clock.monotonic() + dhcpLimits.declinedMilliseconds;
    this.#byMachine.set(mac, [...declined, { address, until }]);
    return true;
  }

  has(mac: string, address: IpNumber): boolean {
    return this.#of(mac).some((each) => each.address === address);
  }

  #of(mac: string): readonly Declined[] {
    const now = this.#clock.monotonic();
    return (this.#byMachine.get(mac) ?? []).filter(({ until }) => until > now);
  }
}
