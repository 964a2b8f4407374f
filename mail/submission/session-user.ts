import type { KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import type { Submitter } from "#server/core/mail/submission/find-submitter.ts";

/** The signed-in user of a connection. */
export type SessionUser =
  | ({ kind: "mailbox"; companyId: string | null } & Pick<
      Submitter,
      "address" | "credentialsVersion"
    >)
  /** Its messages become emails of the API. */
  | {
      kind: "key";
      key: KeyCaller;
      /** Checked again for each message, since the key may have been revoked. */
      token: string;
    };

/** Null if the mailbox no longer exists. */
export const sessionCompanyId = (user: SessionUser): string | null =>
  user.kind === "key" ? user.key.companyId : user.companyId;
