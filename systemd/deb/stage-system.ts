// Stages what the system reads: units, the user, directories, the configuration file, commands and the package's scripts.
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const sources = path.join(import.meta.dirname, '..');
/** The release that runs; `activate` moves this link. */
const RELEASE = '/usr/lib/ironic-edge/current';
/** Where operators look for the pages of daemon/docs. */
const PAGES = '/usr/share/doc/ironic-edge/docs';
const FROM_COMMANDS = '../lib/ironic-edge/current';

const read = (name: string) => readFileSync(path.join(sources, name), 'utf8');

export function stageSystem(stage: string): void {
  const put = (name: string, text: string) => {
    const file = path.join(stage, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const unit of globSync('*.{service,socket,timer}', { cwd: sources }))
    put(`usr/lib/systemd/system/${unit}`, read(unit).replaceAll('/opt/ironic-edge', RELEASE));
  put('usr/lib/sysusers.d/ironic-edge.conf', read('ironic-edge.sysusers'));
  put('usr/lib/tmpfiles.d/ironic-edge.conf', read('ironic-edge.tmpfiles'));
  put('etc/ironic-edge/ironic.conf', read('examples/ironic.conf').replaceAll('daemon/docs/', `${PAGES}/`));
  for (const name of globSync('examples/*', { cwd: sources }))
    put(`usr/share/doc/ironic-edge/${name}`, read(name).replaceAll('/opt/ironic-edge', RELEASE));
  mkdirSync(path.join(stage, 'usr/bin'), { recursive: true });
  for (const program of ['daemon/cli/ironic-edge', 'daemon/cli/with-sockets', 'pxe-filter/ironic-pxe-filter'])
    symlinkSync(`${FROM_COMMANDS}/${program}`, path.join(stage, 'usr/bin', path.basename(program)));
  symlinkSync('../../../lib/ironic-edge/current/daemon/docs', path.join(stage, PAGES));
  stageScripts(stage);
}

function stageScripts(stage: string): void {
  const install = (name: string, folder: string) => {
    const file = path.join(stage, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    copyFileSync(path.join(import.meta.dirname, 'scripts', name), file);
    chmodSync(file, 0o755);
  };
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) install(name, 'DEBIAN');
  install('activate', 'usr/lib/ironic-edge');
}
