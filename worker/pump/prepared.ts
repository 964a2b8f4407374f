import { toSevenBit } from "#server/core/shared/mime/seven-bit.ts";
import type { SevenBit } from "#worker/delivery/delivery.ts";

/** The bytes to deliver, or why there are none: `isPermanent` means for good, else until an admin fixes it. */
export type Prepared =
  | { message: Buffer; sevenBit?: SevenBit }
  | { message: null; isPermanent: boolean; reason: string; error?: unknown };

export function temporaryFailure(reason: string, error?: unknown): Prepared {
  return { message: null, isPermanent: false, reason, error };
}

export function permanentFailure(reason: string, error?: unknown): Prepared {
  return { message: null, isPermanent: true, reason, error };
}

/** The message converted to ASCII and signed, built at most once. */
export function signedSevenBit(
  message: Buffer,
  sign: (message: Buffer) => Promise<Buffer>,
): SevenBit {
  let made: ReturnType<SevenBit> | null = null;
  const make = async () => {
    const converted = toSevenBit(message);
    return converted && sign(converted);
  };
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
}
