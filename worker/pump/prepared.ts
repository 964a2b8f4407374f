/** The bytes to carry, or why there are none: `hopeless` for good, else until someone mends it. */
export type Prepared =
  { message: Buffer } | { message: null; hopeless: boolean; reason: string; error?: unknown };

export function mendable(reason: string, error?: unknown): Prepared {
  return { message: null, hopeless: false, reason, error };
}

export function hopeless(reason: string, error?: unknown): Prepared {
  return { message: null, hopeless: true, reason, error };
}
