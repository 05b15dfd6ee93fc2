// What the boot servers tell the flight recorder about a machine.

/** One thing that a server saw; the recorder adds the time. */
export interface BootEvent {
  readonly hop: 'dhcp' | 'proxydhcp' | 'tftp' | 'http';
  /** Canonical MAC address; absent when the server knows only the IP address. */
  readonly mac?: string;
  readonly address?: string;
  /**
   * What happened, without the subject of the sentence: `offers 10.0.0.21 and snponly.efi`, `sent snponly.efi (173,792
   * bytes)`.
   */
  readonly text: string;
  /** Set when the machine did not get what it asked for. */
  readonly failed?: true;
}

export type RecordBootEvent = (event: BootEvent) => void;
