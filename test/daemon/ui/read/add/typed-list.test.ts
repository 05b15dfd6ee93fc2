import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { typedList } from '../../../../../daemon/ui/read/add/typed-list.ts';

const HEAD = 'name,address,password,class';
const problemsIn = (text: string) => typedList(text).rows.flatMap(({ problems }) => problems);

describe('a pasted list of machines', () => {
  it('is read with commas, semicolons or tabs, quotes, any order and titles of makers, with or without a mark of UTF-8', () => {
    const values = { name: 'a', serial_number: 'S,1', bmc_mac: '52:54:00:00:00:01' };
    for (const text of [
      'name,Service Tag,iDRAC MAC\na,"S,1",52:54:00:00:00:01',
      '\uFEFFiDRAC MAC;NAME;service_tag\r\n52:54:00:00:00:01;a;"S,1"\r\n',
      'Name\tService Tag\tiDRAC MAC\na\tS,1\t52:54:00:00:00:01\n\n',
    ])
      assert.deepEqual(typedList(text).rows[0]?.values, values, text);
  });

  it('names the columns that it leaves out, and the line of each machine', () => {
    const { leftOut, rows } = typedList('name,Colour\n\na,red\nb,blue');
    assert.deepEqual([leftOut, rows.map(({ line }) => line)], [['Colour'], [3, 4]]);
  });

  for (const [what, text, expected] of [
    ['nothing', ' \n ', /is empty/],
    ['a workbook', 'PK\u0003\u0004\u0000\u0000', /This is no text/],
    ['another encoding', 'name\nM\uFFFDller', /not in UTF-8/],
    ['no titles', 'a,b\nc,d', /must have the titles/],
    ['a column twice', 'name,Hostname\na,b', /Two columns are name/],
    ['titles alone', HEAD, /no machine below/],
    ['too many machines', `name\n${'a\n'.repeat(501)}`, /501 machines; expected at most 500/],
    ['a title without its closing quote', '"name\na', /closing quote/],
  ] as const)
    it(`is refused with a sentence: ${what}`, () => assert.match(typedList(text).problem ?? '', expected));

  for (const [what, cell, expected] of [
    ['a formula', "=cmd|'/C calc'!A0", /begins with =, as a formula/],
    ['a formula with a sign', '@SUM(A1)', /begins with @/],
    ['a formula with a minus', '-cmd', /begins with -/],
    ['control characters', 'a\u0007', /control characters/],
    ['a huge value', 'x'.repeat(256), /256 characters; expected at most 255/],
  ] as const)
    it(`has a problem in its line: ${what}`, () =>
      assert.match(problemsIn(`${HEAD}\nn,10.0.0.1,secret,${cell}`).join(' '), expected));

  it('shows no password in a problem, and takes any password', () => {
    assert.deepEqual(problemsIn(`${HEAD}\nn,10.0.0.1,=+@-x,web`), []);
    const problems = problemsIn(`${HEAD}\nn,10.0.0.1,"hunter2\nn,10.0.0.2,${'hunter2'.repeat(100)},web`);
    assert.equal(problems.length, 2);
    assert.doesNotMatch(problems.join(' '), /hunter2/);
  });

  it('has a problem where a line has more values than the first line has titles', () =>
    assert.match(problemsIn(`${HEAD}\na,b,c,d,e`).join(), /5 values, and the first line 4 titles/));

  it('is read in time that grows with its length', () => {
    const begun = process.cpuUsage();
    typedList(`name,class\n${'"'.repeat(200_000)}`);
    typedList(`${','.repeat(100_000)}\n${','.repeat(100_000)}`);
    assert.ok(process.cpuUsage(begun).user < 2e6);
  });
});
