import { join } from "node:path";

import { dovecotFolders } from "#mail/dovecot/folders.ts";
import { quoted, withoutVariables } from "#mail/dovecot/quoting.ts";
import { SECURITY_NOTICE_FIELD } from "#server/core/platform/notices/notify-admins.ts";
import { RETURNED_FIELD } from "#server/core/sending/bounce-messages/dsn.ts";

/** Below Dovecot's base_dir: where `pipe` finds the socket of the listener (learning-socket.ts). */
export const LEARNING_FOLDER = "learning";

/**
 * Settings for the `plugin` block: marked mail goes to Junk before any other script runs, and rspamd learns from
 * messages moved to and from Junk.
 *
 * The extensions are for our own scripts only, so that scripts of mailbox users cannot reach a socket.
 */
export function junkPlugin({ dataFolder }: { dataFolder: string }): string {
  const script = (name: keyof typeof JUNK_SCRIPTS) =>
    quoted(withoutVariables(`file:${join(dovecotFolders(dataFolder).etc, name)}`));
  return `  sieve_plugins = sieve_imapsieve sieve_extprograms
  sieve_global_extensions = +vnd.dovecot.pipe +vnd.dovecot.environment
  sieve_pipe_socket_dir = ${LEARNING_FOLDER}
  sieve_pipe_exec_timeout = 5s
  sieve_pipe_input_eol = crlf
  sieve_before = ${script("junk.sieve")}
  imapsieve_mailbox1_name = Junk
  imapsieve_mailbox1_causes = COPY
  imapsieve_mailbox1_before = ${script("learn-spam.sieve")}
  imapsieve_mailbox2_name = *
  imapsieve_mailbox2_from = Junk
  imapsieve_mailbox2_causes = COPY
  imapsieve_mailbox2_before = ${script("learn-ham.sieve")}
`;
}

/**
 * Our own Sieve scripts, by file name.
 *
 * Filing cancels the implicit keep, so the mailbox user's scripts don't run: spam gets no vacation reply
 * and isn't forwarded, and a returned forward isn't forwarded again. A copy of a security notice is filed before they run,
 * so users who forward all mail get it too. Moving a message from Junk to Trash doesn't make it ham.
 */
export const JUNK_SCRIPTS = {
  "junk.sieve": `require ["fileinto", "copy"];
if header :is "X-Posthouse-Junk" "yes" {
  fileinto "Junk";
} elsif header :is "${RETURNED_FIELD}" "yes" {
  fileinto "INBOX";
} elsif header :is "${SECURITY_NOTICE_FIELD}" "yes" {
  fileinto :copy "INBOX";
}
`,
  "learn-spam.sieve": `require ["vnd.dovecot.pipe", "copy"];
pipe :copy "spam";
`,
  "learn-ham.sieve": `require ["vnd.dovecot.pipe", "copy", "environment", "imapsieve"];
if not environment :is "imap.mailbox" "Trash" {
  pipe :copy "ham";
}
`,
} as const;
