import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../../../daemon/observe/metrics/metric-registry.ts';

describe('the text of metrics', () => {
  it('has the help, the type and the samples of each metric', () => {
    const metrics = new MetricRegistry();
    const count = metrics.counter('a_total', 'Things that happened.', ['kind']);
    count(['good']);
    count(['good'], 2);
    count(['bad']);
    metrics.gauge('b', 'Things there are.', [], () => [[[], 7]]);
    assert.equal(
      metrics.text(),
      `# HELP a_total Things that happened.
# TYPE a_total counter
a_total{kind="good"} 3
a_total{kind="bad"} 1
# HELP b Things there are.
# TYPE b gauge
b 7
`,
    );
  });

  it('counts an observation in its bucket and all larger ones', () => {
    const metrics = new MetricRegistry();
    const observe = metrics.histogram({ name: 'h', help: 'Waits.', labels: ['of'] }, [1, 5]);
    for (const value of [0.5, 1, 3, 9]) observe(['x'], value);
    assert.deepEqual(metrics.text().split('\n').slice(2, -1), [
      'h_bucket{of="x",le="1"} 2',
      'h_bucket{of="x",le="5"} 3',
      'h_bucket{of="x",le="+Inf"} 4',
      'h_sum{of="x"} 13.5',
      'h_count{of="x"} 4',
    ]);
  });

  it('escapes special characters in the help and in the value of a label', () => {
    const metrics = new MetricRegistry();
    metrics.counter('c_total', 'One\\two.', ['name'])(['"a"\\\nb']);
    assert.match(metrics.text(), /^# HELP c_total One\\\\two\.$/m);
    assert.match(metrics.text(), /^c_total\{name="\\"a\\"\\\\\\nb"\} 1$/m);
  });

  it('shows a counter without labels before anything was counted', () => {
    const metrics = new MetricRegistry();
    metrics.counter('d_total', 'None yet.');
    assert.match(metrics.text(), /^d_total 0$/m);
  });
});
