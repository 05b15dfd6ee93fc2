// Metrics in the text format of Prometheus (version 0.0.4): counters and histograms in memory, gauges read at a scrape.

/** The values of a metric's labels, in the order in which the labels were declared. */
type Values = readonly string[];
type Sample = readonly [values: Values, value: number];

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly lines: () => Iterable<string>;
}

interface Description {
  readonly name: string;
  readonly help: string;
  readonly labels: Values;
}

type Read = () => Iterable<Sample>;

interface Observed {
  readonly values: Values;
  /** The number of observations up to each bound but above the previous bound; last, those above all bounds. */
  readonly buckets: number[];
  sum: number;
}

export class MetricRegistry {
  readonly #families: Family[] = [];

  /** Returns a function that adds `by` to the series whose labels have the given `values`. */
  counter(name: string, help: string, labels: Values = []): (values?: Values, by?: number) => void {
    const series = new Map<string, number>();
    // without labels there is one series, which exists from the start
    if (labels.length === 0) series.set('', 0);
    this.#families.push({
      name,
      help,
      type: 'counter',
      lines: () => [...series].map(([labelled, value]) => `${name}${labelled} ${value}`),
    });
    return (values = [], by = 1) => {
      const key = labelText(labels, values);
      series.set(key, (series.get(key) ?? 0) + by);
    };
  }

  /** `read` is called at every scrape. */
  gauge(name: string, help: string, labels: Values, read: Read): void {
    this.#readAtScrape('gauge', { name, help, labels }, read);
  }

  /** A counter whose value is kept elsewhere; `read` is called at every scrape. */
  counterReadBy(name: string, help: string, labels: Values, read: Read): void {
    this.#readAtScrape('counter', { name, help, labels }, read);
  }

  #readAtScrape(type: Family['type'], { name, help, labels }: Description, read: Read): void {
    const lines = () => [...read()].map(([values, value]) => `${name}${labelText(labels, values)} ${value}`);
    this.#families.push({ name, help, type, lines });
  }

  /** Returns a function that observes a value. `bounds` are the upper bounds of the buckets, ascending. */
  histogram(
    { name, help, labels }: Description,
    bounds: readonly number[],
  ): (values: Values, value: number) => void {
    const series = new Map<string, Observed>();
    const linesOf = ({ values, buckets, sum }: Observed) => {
      let count = 0;
      const lines = [...bounds, '+Inf'].map((bound, index) => {
        count += buckets[index] ?? 0;
        return `${name}_bucket${labelText([...labels, 'le'], [...values, String(bound)])} ${count}`;
      });
      const labelled = labelText(labels, values);
      return [...lines, `${name}_sum${labelled} ${sum}`, `${name}_count${labelled} ${count}`];
    };
    this.#families.push({
      name,
      help,
      type: 'histogram',
      lines: () => series.values().flatMap(linesOf),
    });
    return (values, value) => {
      const key = labelText(labels, values);
      const found = series.get(key) ?? { values, buckets: [...bounds, 0].map(() => 0), sum: 0 };
      series.set(key, found);
      const bucket = bounds.findIndex((bound) => value <= bound);
      const index = bucket === -1 ? bounds.length : bucket;
      found.buckets[index] = (found.buckets[index] ?? 0) + 1;
      found.sum += value;
    };
  }

  text(): string {
    const lines = this.#families.flatMap(({ name, help, type, lines: series }) => [
      `# HELP ${name} ${escaped(help)}`,
      `# TYPE ${name} ${type}`,
      ...series(),
    ]);
    return `${lines.join('\n')}\n`;
  }
}

function labelText(labels: Values, values: Values): string {
  if (labels.length === 0) return '';
  const pairs = labels.map(
    (label, index) => `${label}="${escaped(values[index] ?? '').replaceAll('"', '\\"')}"`,
  );
  return `{${pairs.join(',')}}`;
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
