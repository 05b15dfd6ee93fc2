// `ironic-edge image`: the catalogue of images; `image add` creates a record for an image that a distribution publishes.
import { nearestName } from '../../config/nearest-name.ts';
import {
  architectures,
  type ImageArchitecture,
  type KnownImage,
  knownImageRecord,
  knownImages,
  mirrorUrl,
} from '../../model/known-images.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import type { JsonObject } from '../../model/json.ts';
import { readGivenFile } from '../given-file.ts';
import { commandOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';
import { deleteCommand, fetchCommand, updateCommand, verifyCommand } from './image-content-commands.ts';
import { recordCommand } from './record-commands.ts';
import { uploadImage } from './upload-image.ts';

const SYSTEMS = [...knownImages].map(([name, { description }]) => `  ${name.padEnd(20)} ${description}`);

const add = commandOf({
  usage: `usage: ironic-edge image add SYSTEM [--arch ARCHITECTURE] [--mirror URL] [--signing-key FILE]
                                     [--format FORMAT]
       ironic-edge image add NAME --file PATH [--checksum DIGEST] [--arch ARCHITECTURE]

Adds the image that a distribution publishes to the catalogue, and prints the name of the new record: SYSTEM, or
SYSTEM-aarch64. Nothing is downloaded. SYSTEM is one of:

${SYSTEMS.join('\n')}

With --file, uploads an image under this name, and waits until the daemon has it whole, has verified its format, and keeps it.
Shows the progress on a terminal. If the name has uploaded content already, new deployments get the new one.

  --file PATH              the file with the image; - for standard input
  --checksum DIGEST        refuse the upload unless it has this SHA-256, SHA-384 or SHA-512, such as sha256:...
  --arch ARCHITECTURE      ${architectures.join(' or ')}; the default is x86_64, with --file any
  --mirror URL             where a mirror of the distribution begins: replaces the server and the first folders of its own
                           address, such as ${knownImages.get('debian-13')?.mirror ?? ''}
  --signing-key FILE       the OpenPGP public keys with which the distribution signs; the signature is then verified whenever
                           the image is fetched. Keys may be armored or not
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: { arch: TEXT, mirror: TEXT, 'signing-key': TEXT, file: TEXT, checksum: TEXT, ...OUTPUT },
  positionals: ['SYSTEM'],
  async run({ values, positionals: [system] }, context) {
    const { environment, stdout } = context;
    const { file, checksum: digest } = values;
    const given = architectureIn(values.arch);
    if (file !== undefined) {
      for (const other of ['mirror', 'signing-key'] as const)
        if (values[other] !== undefined) throw new WrongArguments(`--${other} and --file exclude each other`);
      await uploadImage({ name: system, file, checksum: digest, architecture: given }, context);
      return 0;
    }
    if (digest !== undefined)
      throw new WrongArguments('--checksum is for --file: a known system has a checksum file');
    const known = systemNamed(system);
    const architecture = given ?? 'x86_64';
    const base = values.mirror === undefined ? known.mirror : mirrorIn(values.mirror);
    const key = values['signing-key'];
    const { signed } = known.place(architecture);
    const signing = key === undefined ? {} : signingFields(system, base, { key, signed });
    const created = await createApiClient(environment).post('/v1/images', {
      ...knownImageRecord(system, known, { architecture, base }),
      ...signing,
    });
    stdout.write(formatted(values, created, ({ name }) => `${cellText(name)}\n`));
    return 0;
  },
});

function signingFields(
  system: string,
  base: string,
  {
    key,
    signed,
  }: { readonly key: string; readonly signed: ReturnType<KnownImage['place']>['signed'] | undefined },
): JsonObject {
  if (signed === undefined)
    throw new WrongArguments(
      `--signing-key: ${system} is published without a signature; leave the option out`,
    );
  const { checksum, signature } = signed;
  return {
    checksum: `${base}/${checksum}`,
    signing_key: armored(readGivenFile('--signing-key', key)),
    signature_url: signature === null ? null : `${base}/${signature}`,
  };
}

const LINE = /.{1,64}/g;

/** The daemon takes text; keyrings are often binary. */
function armored(keys: Buffer): string {
  const text = keys.toString('latin1');
  if (text.includes('-----BEGIN PGP')) return text;
  const lines = keys.toString('base64').match(LINE) ?? [];
  const kind = 'PGP PUBLIC KEY BLOCK-----';
  return [`-----BEGIN ${kind}`, '', ...lines, `-----END ${kind}`, ''].join('\n');
}

function architectureIn(text: string | undefined): ImageArchitecture | undefined {
  const known = architectures.find((each) => each === text);
  if (known !== undefined || text === undefined) return known;
  throw new WrongArguments(`--arch ${JSON.stringify(text)}: expected ${architectures.join(' or ')}`);
}

function systemNamed(name: string): KnownImage {
  const known = knownImages.get(name);
  if (known !== undefined) return known;
  const near = nearestName(name, knownImages.keys());
  throw new WrongArguments(
    `${JSON.stringify(name)} is not a known system${near === undefined ? '.' : `; did you mean ${near}?`} Expected one of ${[...knownImages.keys()].join(', ')}. --file uploads an image; "ironic-edge image create" adds any other image`,
  );
}

function mirrorIn(text: string): string {
  const url = mirrorUrl(text);
  if (url !== undefined) return url;
  throw new WrongArguments(`--mirror ${JSON.stringify(text)}: expected an http or https URL`);
}

export const imageCommand = recordCommand('image', {
  add: { about: 'add the image of a distribution, or upload one', load: async () => add },
  fetch: { about: 'fetch images, and keep them for deployments', load: async () => fetchCommand },
  update: { about: 'fetch what has changed at the sources of images', load: async () => updateCommand },
  verify: { about: 'verify what the daemon keeps of images', load: async () => verifyCommand },
  delete: { about: 'delete one or more', load: async () => deleteCommand },
});
