// Carries out requests to the update service, which name the URL of a firmware image or upload the image.
import { type RedfishAnswer, notAllowed, Refused } from '../answer.ts';
import { textOr } from '../resources/odata.ts';
import { PUSH } from '../resources/paths.ts';
import { acceptedTask, type Acting, type Post, queued } from './acting.ts';

/** Throws Refused. */
export function updateFirmware(acting: Acting, request: Post): RedfishAnswer {
  if (request.path === PUSH) return push(acting, request);
  const isOffered =
    acting.machine.shape.hasSimpleUpdate && request.path.endsWith('/UpdateService.SimpleUpdate');
  if (!isOffered) throw notAllowed(`POST to ${request.path}`);
  return update(acting, textOr(request.body['ImageURI']));
}

function push(acting: Acting, { contentType, text }: Post): RedfishAnswer {
  const { updatesPushed: pushed } = acting.machine.shape;
  const wanted = pushed === 'form' ? 'multipart/form-data; boundary=' : 'application/octet-stream';
  if (pushed === 'no' || !contentType.startsWith(wanted)) throw notAllowed(`an upload of ${contentType}`);
  const [, boundary = ''] = contentType.split('boundary=');
  const file = pushed === 'form' ? fileIn(text, boundary) : text;
  if (file === undefined)
    throw new Refused(400, 'Base.1.8.ActionParameterMissing', 'UpdateParameters and UpdateFile are needed');
  return update(acting, file);
}

/** Returns the content of `UpdateFile` in a form; undefined if the form is incomplete or its `UpdateParameters` are not `{}`. */
function fileIn(form: string, boundary: string): string | undefined {
  const parts = form.split(`--${boundary}`).map((part) => part.split('\r\n\r\n', 2));
  const contentOf = (name: string) =>
    parts.find(([head = '']) => head.includes(`name="${name}"`))?.[1]?.replace(/\r\n$/, '');
  return contentOf('UpdateParameters') === '{}' && form.endsWith(`--${boundary}--\r\n`)
    ? contentOf('UpdateFile')
    : undefined;
}

/**
 * `image`: the URL or the content of the image. If this text contains `bmc`, the image is for the BMC; if it contains `nic`, for
 * the network card; otherwise for the BIOS.
 */
function update(acting: Acting, image: string): RedfishAnswer {
  const { machine, tasks, fallSilent } = acting;
  if (image.includes('bmc')) {
    const renew = () => {
      machine.bmcVersion = '9.9.9';
      fallSilent(240);
    };
    return acceptedTask(tasks.begin('SimpleUpdate', false, renew).path);
  }
  const renew = () =>
    void (image.includes('nic') ? (machine.nicVersion = '9.9.9') : (machine.biosVersion = '9.9.9'));
  return queued(machine, tasks.begin('SimpleUpdate', true, renew));
}
