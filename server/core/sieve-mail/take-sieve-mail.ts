import type { Db } from "#server/db/client.ts";

export type SieveMail = {
  /** MAIL FROM, "" for none. */
  sender: string;
  recipients: string[];
  content: Buffer;
};

export async function takeSieveMail(_db: Db, mail: SieveMail): Promise<void> {
  process.stderr.write(
    `\n=== ${mail.sender} -> ${mail.recipients.join()}\n${mail.content.toString("latin1")}\n===\n`,
  );
}
