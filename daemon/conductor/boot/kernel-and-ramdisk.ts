// Fetches a kernel and the ramdisk that was built for it.

interface Named {
  readonly kernel: string;
  readonly ramdisk: string | null;
}

/**
 * Resolves to the paths of the files. Where both references lead through a link, as those of `ironic-edge agent-image` do, both
 * files are those of one image, even if the link changes meanwhile: a ramdisk has the modules of its kernel only.
 */
export async function kernelAndRamdisk(
  { kernel, ramdisk }: Named,
  fetch: (reference: string, part: keyof Named) => Promise<string>,
): Promise<{ readonly kernel: string; readonly ramdisk: string | null }> {
  for (;;) {
    const first = await fetch(kernel, 'kernel');
    if (ramdisk === null) return { kernel: first, ramdisk };
    const second = await fetch(ramdisk, 'ramdisk');
    if (!kernel.startsWith('file:') || (await fetch(kernel, 'kernel')) === first)
      return { kernel: first, ramdisk: second };
  }
}
