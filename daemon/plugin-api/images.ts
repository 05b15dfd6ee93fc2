// Images of instances, which the daemon downloads and checks for the ramdisk that writes them to a disk, and files for BMCs.

export interface Images {
  /** The image that `prepare` serves for the current deployment; null before `prepare` was called. */
  readonly prepared: PreparedImage | null;
  /** Throws what `prepare` would throw for the image, as far as that can be seen without a download. */
  check(image: InstanceImage): Promise<void>;
  /**
   * Downloads the image unless there is a copy, verifies its checksum, checks its format, converts it to raw as
   * `[DEFAULT] force_raw_images` says, and serves it to the machine until the deployment ends, also after a restart of the
   * daemon. Throws InvalidParameter, or ImageUnusable; the latter also when the daemon serves no files.
   */
  prepare(image: InstanceImage): Promise<PreparedImage>;
  /** Downloads, verifies and checks the image like `prepare`, and returns its format. Nothing is served. */
  inspect(image: InstanceImage): Promise<string>;
  /**
   * Downloads a file that a step gives to the BMC, such as firmware, unless there is a copy. Serves it until the step
   * ends or copies another file, also after a restart of the daemon. `source` is an http, https or file URL, with an optional
   * checksum: `https://images.example/bios.bin#sha256=...`. Throws ImageUnusable, InvalidParameter or DriverInfoInvalid.
   */
  copyForStep(source: string): Promise<FileCopy>;
}

export interface FileCopy {
  readonly path: string;
  readonly bytes: number;
  /** The URL, which nobody can guess, from which the BMC gets the file; null when the daemon serves no files. */
  readonly url: string | null;
}

export interface InstanceImage {
  /** An http, https or file URL, `oci://REGISTRY/REPOSITORY:TAG` or `oci://REGISTRY/REPOSITORY@sha256:DIGEST`. */
  readonly source: string;
  /**
   * A digest, `ALGORITHM:DIGEST`, or the URL of a file with digests. Null: no checksum, which is allowed only for a file of this
   * host and for an image in a registry.
   */
  readonly checksum: string | null;
  /** The declared format of the image; content of another format is refused. */
  readonly format: string | null;
  readonly type: 'whole-disk' | 'partition';
  /**
   * The login for the servers of image and checksum. Its `hosts` are names or addresses; one with a port stands for that port
   * only, one without a port for all ports.
   */
  readonly login: ImageLogin | null;
  /** Whether the ramdisk writes raw images to the disk while it downloads them. If it does not, no image is converted. */
  readonly isStreamed: boolean;
  /** The architecture of the machine's processor, as `properties/cpu_arch` names it: `x86_64`. */
  readonly architecture: string;
  /** The login for the registry of an `oci:` image: `USER:PASSWORD`, or the same in base64. */
  readonly pullSecret: string | null;
}

export interface ImageLogin {
  readonly user: string;
  readonly password: string;
  readonly hosts: readonly string[];
}

/** What the ramdisk is to download. */
export interface PreparedImage {
  /** The URL of the image. Only the machine may know it: any client that knows it can read the image. */
  readonly url: string;
  /** The SHA-256 of the image, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** `raw`, or the format of an image that was not converted. */
  readonly format: string;
}
