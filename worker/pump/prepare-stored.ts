import { setTimeout as delay } from "node:timers/promises";

import type { SigningDomain } from "#server/core/sending/dkim/load-signing-domains.ts";
import { headerFields, withoutFields } from "#server/core/shared/mime/header-fields.ts";
import type { LeasedMessage } from "#server/core/sending/messages/lease-due-messages.ts";
import { loadContent } from "#server/core/sending/messages/load-content.ts";
import type { Db } from "#server/db/client.ts";
import { removeSignature } from "#worker/delivery/sign/remove-signature.ts";

import { backoffMs } from "#server/processes/run-loop.ts";
import type { MessageMaker } from "./prepare-message.ts";
import { permanentFailure, temporaryFailure, type Prepared, signedSevenBit } from "./prepared.ts";

type Dependencies = Pick<MessageMaker, "sign"> & { db: Db };

/**
 * Loads the bytes of a message and, if it has a signing domain, signs them with that domain's active keys,
 * replacing earlier signatures of the same keys. Never throws.
 *
 * @param signer ignored if the message isn't signed
 */
export async function prepareStored(
  { id, signingDomainId }: LeasedMessage,
  signer: SigningDomain | Error | undefined,
  { db, sign }: Dependencies,
): Promise<Prepared> {
  if (signingDomainId !== null) {
    if (signer === undefined)
      return temporaryFailure("The sending domain has no DKIM key here, or was deleted");
    if (signer instanceof Error)
      return temporaryFailure("The DKIM key of the sending domain is unusable", signer);
  }
  let content: Buffer | null;
  try {
    content = await loadWithRetry(db, id);
  } catch (error) {
    return temporaryFailure("The message cannot be read", error);
  }
  if (!content) return permanentFailure("The message is no longer stored");
  if (signingDomainId === null || !signer || signer instanceof Error) return unsigned(content);
  return signed(content, signer, sign);
}

async function signed(
  content: Buffer,
  signer: SigningDomain,
  sign: MessageMaker["sign"],
): Promise<Prepared> {
  const bare = removeSignature(content, signer);
  const seal = (message: Buffer) => sign(message, signer, { now: new Date(), isAutomated: false });
  try {
    return { message: await seal(bare), sevenBit: signedSevenBit(bare, seal) };
  } catch (error) {
    return temporaryFailure("The message could not be signed", error);
  }
}

/**
 * A message signed by others must not be changed. Our own ARC set doesn't count; it's omitted from the
 * converted message.
 */
function unsigned(message: Buffer): Prepared {
  const fields = headerFields(message);
  const sets = fields.filter(({ name }) => name === "arc-seal").length;
  if (sets > 1 || fields.some(({ name }) => name === "dkim-signature")) return { message };
  const seal = fields.filter(({ name }) => name.startsWith("arc-"));
  const bare = withoutFields(message, seal);
  return { message, sevenBit: signedSevenBit(bare, (converted) => Promise.resolve(converted)) };
}

/**
 * Waits for a database that restarts: deferring the message would take longer, and isn't the recipient's
 * fault.
 */
async function loadWithRetry(db: Db, id: string): Promise<Buffer | null> {
  for (let failures = 1; ; failures++) {
    try {
      return await loadContent(db, id);
    } catch (error) {
      if (failures >= TRIES) throw error;
      await delay(backoffMs(failures), null, { ref: false });
    }
  }
}

/** About fifteen seconds: half a lease. */
const TRIES = 9;
