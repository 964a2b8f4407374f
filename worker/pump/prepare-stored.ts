import type { SigningKey } from "#server/core/domains/dkim/load-signing-keys.ts";
import type { ClaimedMessage } from "#server/core/messages/claim-due-messages.ts";
import { loadContent } from "#server/core/messages/load-content.ts";
import type { Db } from "#server/db/client.ts";
import { withoutSignatureOf } from "#worker/delivery/sign/without-signature-of.ts";

import type { MessageMaker } from "./prepare-message.ts";
import { hopeless, mendable, type Prepared } from "./prepared.ts";

type Means = Pick<MessageMaker, "sign"> & { db: Db };

/**
 * Reads the bytes of a message and signs them when they are to be signed: with the key that holds at
 * this attempt, and as the only signature of that key. Never throws.
 *
 * @param key of the domain that signs; not looked at for a message that nobody signs
 */
export async function prepareStored(
  { id, signingDomainId }: ClaimedMessage,
  key: SigningKey | Error | undefined,
  { db, sign }: Means,
): Promise<Prepared> {
  if (signingDomainId !== null) {
    if (key === undefined)
      return mendable("The sending domain has no DKIM key here, or was deleted");
    if (key instanceof Error)
      return mendable("The DKIM key of the sending domain is unusable", key);
  }
  let content: Buffer | null;
  try {
    content = await loadContent(db, id);
  } catch (error) {
    return mendable("The message cannot be read", error);
  }
  if (!content) return hopeless("The message is not here any more");
  if (signingDomainId === null || !key || key instanceof Error) return { message: content };
  try {
    return { message: await sign(withoutSignatureOf(content, key), key, new Date()) };
  } catch (error) {
    return mendable("The message could not be signed", error);
  }
}
