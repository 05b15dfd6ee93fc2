// What the boot servers tell the flight recorder, which stores what the daemon sees of each machine.

/** One thing that a server saw; the recorder adds the time. */
export interface BootEvent {
  readonly hop: 'dhcp' | 'proxydhcp' | 'tftp' | 'http';
  /** Canonical MAC address; absent when the server knows only the IP address, or when the event is about no single machine. */
  readonly mac?: string;
  readonly address?: string;
  /**
   * What happened, without the subject of the sentence: `is offered 10.0.0.21 and snponly.efi (uefi-pxe)`, `sent snponly.efi
   * (173,792 bytes) in 0.4 s`.
   */
  readonly text: string;
  /** Set when the machine did not get what it asked for. */
  readonly failed?: true;
}

export type RecordBootEvent = (event: BootEvent) => void;
