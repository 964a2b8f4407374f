import type { KeyCaller } from "#server/core/access/api-keys/authenticate-key.ts";
import type { Submitter } from "#server/core/mail/submission/find-submitter.ts";

/** Who has signed in on a connection. */
export type SessionUser =
  | ({ kind: "mailbox"; companyId: string | null } & Pick<
      Submitter,
      "address" | "credentialsVersion"
    >)
  /** What it sends are emails of the API. */
  | {
      kind: "key";
      key: KeyCaller;
      /** Looked up again for each message: a key can be revoked meanwhile. */
      token: string;
    };

/** Null for who is gone meanwhile. */
export const sessionCompanyId = (user: SessionUser): string | null =>
  user.kind === "key" ? user.key.companyId : user.companyId;
