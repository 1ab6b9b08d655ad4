// What a confined script may use. A session at AWS has 2 vCPU, 8 GB of memory and 10 GB of disk; a laptop gives less.

export type Limits = {
  /** The memory of all processes of a script together. */
  memoryMb: number;
  /** The room on the disk for everything that a script writes. */
  diskMb: number;
  processes: number;
};

export const defaultLimits: Limits = { memoryMb: 1_024, diskMb: 256, processes: 64 };
