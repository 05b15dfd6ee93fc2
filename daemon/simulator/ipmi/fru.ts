// The command that gives ipmi_sim a FRU with labels (Platform Management FRU Information Storage Definition 1.3).

export interface SimulatedLabels {
  readonly chassisSerial: string;
  readonly manufacturer: string;
  readonly product: string;
  readonly serial: string;
}

const SIZE = 256;

export function ipmiSimFru({ chassisSerial, manufacturer, product, serial }: SimulatedLabels): string {
  // of the fields between them, each is empty: part number, version
  const chassis = area([0x17], ['', chassisSerial]);
  const labels = area([0x00], [manufacturer, product, '', '', serial]);
  const [first, second] = [1, 1 + chassis.length / 8];
  const header = withChecksum([1, 0, first, 0, second, 0, 0]);
  const octets = [...header, ...chassis, ...labels];
  const data = [...octets, ...Array.from({ length: SIZE - octets.length }, () => 0)];
  return `mc_add_fru_data 0x20 0 ${SIZE} data ${data.map((octet) => `0x${octet.toString(16)}`).join(' ')}\n`;
}

/** An area: its version, its length in units of eight octets, `kind`, the texts, an end and a checksum. */
function area(kind: readonly number[], texts: readonly string[]): readonly number[] {
  const fields = texts.flatMap((text) => [0xc0 | text.length, ...Buffer.from(text)]);
  const body = [...kind, ...fields, 0xc1];
  const units = Math.ceil((body.length + 3) / 8);
  const filled = [1, units, ...body, ...Array.from({ length: units * 8 - body.length - 3 }, () => 0)];
  return withChecksum(filled);
}

const withChecksum = (octets: readonly number[]): readonly number[] => [
  ...octets,
  -octets.reduce((sum, octet) => sum + octet, 0) & 0xff,
];
