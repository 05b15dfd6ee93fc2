// What a client finds when it follows the links of the simulated BMC from the root.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '../../../../daemon/model/json.ts';
import { FakeAccounts } from '../../../../daemon/simulator/redfish/accounts.ts';
import { FakeMachine } from '../../../../daemon/simulator/redfish/machine.ts';
import { pathsOf, ROOT } from '../../../../daemon/simulator/redfish/resources/paths.ts';
import { resourceAt } from '../../../../daemon/simulator/redfish/resources/resources.ts';
import { type ShapeName, shapeNames, shapeOf } from '../../../../daemon/simulator/redfish/shapes.ts';
import { fakeClock } from '../../../fakes/clock.ts';

for (const name of shapeNames) {
  test(`${name}: each resource has its path, a type, a name and, unless it is a collection, an ID`, () => {
    const wrong: string[] = [];
    for (const [path, resource] of resourcesOf(name)) {
      const type = resource['@odata.type'];
      if (resource['@odata.id'] !== path) wrong.push(`${path}: @odata.id`);
      if (typeof type !== 'string' || !type.startsWith('#')) wrong.push(`${path}: @odata.type`);
      if (typeof resource['Name'] !== 'string') wrong.push(`${path}: Name`);
      if (!Array.isArray(resource['Members']) && typeof resource['Id'] !== 'string')
        wrong.push(`${path}: Id`);
    }
    assert.deepEqual(wrong, []);
  });

  test(`${name}: each link leads to a resource, except to Dell services and controller settings, which cannot be read`, () => {
    const resources = resourcesOf(name);
    const linked = new Set([...resources.values()].flatMap(linksIn));
    const nowhere = [...linked].filter((path) => !resources.has(path) && !onlyTakesRequests(path));
    assert.deepEqual(nowhere, []);
  });
}

const onlyTakesRequests = (path: string): boolean =>
  path.includes('/Oem/Dell/') || path.endsWith('/Controllers/C1/Settings');

function resourcesOf(name: ShapeName): ReadonlyMap<string, JsonObject> {
  const shape = shapeOf(name);
  const settings = { number: 0, clock: fakeClock(), powerSeconds: 0, postSeconds: 0 };
  const machine = new FakeMachine(shape, settings);
  const accounts = new FakeAccounts({ username: 'admin', password: 'secret' }, shape.accounts);
  const around = { machine, paths: pathsOf(shape), sessions: [], accounts, tasks: [] };
  const found = new Map<string, JsonObject>();
  const ahead = [ROOT];
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    const resource = found.has(path) ? undefined : resourceAt(around, path);
    if (resource === undefined) continue;
    found.set(path, resource);
    ahead.push(...linksIn(resource));
  }
  return found;
}

const linksIn = (value: Json): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '@odata.id' && typeof inner === 'string' ? inner.split('#', 1) : linksIn(inner),
  );
};
