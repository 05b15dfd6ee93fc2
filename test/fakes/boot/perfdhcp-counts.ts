// The report of perfdhcp, the load generator of Kea.

/**
 * Returns the counts, each for the offers and for the acknowledgements: `{ 'sent packets': [1000, 1000], ... }`. In DHCPv6, these
 * are ADVERTISE and REPLY.
 */
export function perfdhcpCounts(report: string): Readonly<Record<string, readonly number[]>> {
  const counts: Record<string, number[]> = {};
  for (const line of report.split('\n')) {
    const [name = '', number = ''] = line.split(': ');
    if (/^\d+$/.test(number)) (counts[name] ??= []).push(Number(number));
  }
  return counts;
}
