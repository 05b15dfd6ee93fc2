// The limits for images that have no option. Whoever may deploy names an image, and a web server sends it, so neither may fill the
// memory or the disk of this host.

export const imageLimits = {
  /** Larger downloads and uploads are ended; no image for a machine is larger, and a server may send without end. */
  imageBytes: 64 * 1024 ** 3,
  /** The longest pause before a broken download is continued. */
  downloadPauseSeconds: 30,
  /** How long one request for a file may take, however slowly the server sends. */
  requestSeconds: 86_400,
  /** Images of larger disks are refused, because they could fill the disk of this host once converted. */
  diskBytes: 2 ** 40,
  /** Tables of qcow2 images with more entries are refused: a reader would allocate memory for all of them. */
  qcow2TableEntries: 4_194_304,
  /** Larger descriptors of VMDK images are refused: they are read into memory. */
  vmdkDescriptorBytes: 1_048_576,
  /** How long one conversion to raw may take. */
  conversionSeconds: 3600,
  /** How much of what the converting program says goes into an error. */
  conversionMessageCharacters: 1000,
  /** The size of the partition that the agent makes for the config drive. */
  configDriveMebibytes: 64,
  /** The file with logins of registries is read into memory. */
  registryLoginsBytes: 1_048_576,
} as const;
