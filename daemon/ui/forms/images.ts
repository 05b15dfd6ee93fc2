// Handles the forms of the pages for images: adds, fetches, verifies and removes them by the API.
import type { Answer } from '../../http/answer.ts';
import type { Visit } from '../../http/pages.ts';
import { architectures, knownImageRecord, knownImages, mirrorUrl } from '../../model/known-images.ts';
import { fault } from '../../model/faults.ts';
import { refusalText } from '../actions/perform.ts';
import { redirect } from '../answers.ts';
import { readImage } from '../read/images.ts';
import type { UiSite } from '../site.ts';
import { addImagePage } from '../views/images/add.ts';
import { imagePage } from '../views/images/image.ts';
import type { PageView } from '../views/layout.ts';

const textIn = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim();

export async function addImage(
  _: UiSite,
  { call }: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const record = form.get('kind') === 'system' ? systemRecord(form) : urlRecord(form);
  if ('refusal' in record) return addImagePage(form, record.refusal);
  const created = await call({ method: 'POST', path: '/v1/images', body: record });
  if (!created.ok) return addImagePage(form, await refusalText(created));
  const { uuid } = (await created.json()) as { readonly uuid: string };
  // the page of the image shows why a fetch has failed
  if (form.has('fetch')) await call({ method: 'POST', path: `/v1/images/${uuid}/fetch` });
  return redirect(`/ui/images/${uuid}`, 303);
}

function systemRecord(form: URLSearchParams) {
  const system = textIn(form, 'system');
  const known = knownImages.get(system);
  const architecture = architectures.find((each) => each === textIn(form, 'architecture'));
  const mirror = textIn(form, 'mirror');
  const base = mirror === '' ? undefined : mirrorUrl(mirror);
  if (known === undefined || architecture === undefined)
    return { refusal: 'Choose a system and an architecture of the lists.' };
  if (mirror !== '' && base === undefined)
    return {
      refusal: `The mirror ${mirror} is no http or https URL; give the URL of the folder that it mirrors.`,
    };
  return knownImageRecord(system, known, { architecture, base });
}

const URL_FIELDS = ['name', 'source', 'checksum', 'login_user', 'architecture'] as const;

const urlRecord = (form: URLSearchParams) =>
  Object.fromEntries(
    URL_FIELDS.map((name) => [name, textIn(form, name)] as const).filter(([, value]) => value !== ''),
  );

export async function changeImage(
  { services }: UiSite,
  { call }: Visit,
  form: URLSearchParams,
): Promise<PageView | Answer> {
  const shown = readImage(services, textIn(form, 'image'));
  const { uuid, name } = shown.image;
  const wanted = form.get('do') ?? '';
  const place = `/v1/images/${uuid}`;
  if (wanted === 'remove') {
    if (textIn(form, 'confirm') !== name) return imagePage(shown, { isWrongWord: true });
    const answer = await call({
      method: 'DELETE',
      path: `${place}${form.has('force') ? '?force=true' : ''}`,
    });
    return answer.ok ? redirect('/ui/images', 303) : imagePage(shown, { refusal: await refusalText(answer) });
  }
  if (wanted !== 'fetch' && wanted !== 'verify')
    throw fault('InvalidParameter', { name: 'do', reason: 'go back and use a button of the page' });
  const answer = await call({ method: 'POST', path: `${place}/${wanted}` });
  return answer.ok
    ? redirect(`/ui/images/${uuid}`, 303)
    : imagePage(shown, { refusal: await refusalText(answer) });
}
