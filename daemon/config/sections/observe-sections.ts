// Metrics.
import { networks, section } from './typed-options.ts';

export const observeSections = {
  metrics: section({
    allow_from: networks(
      'The networks from which /metrics may be read without a login, as in 192.0.2.10/32; for Prometheus. Empty: it needs a login like the API.',
    ),
  }),
};
