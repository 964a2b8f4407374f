import { SECURITY_NOTICE_FIELD } from "#server/core/platform/notices/notify-admins.ts";
import { RETURNED_FIELD } from "#server/core/sending/bounce-messages/dsn.ts";

/** Below Dovecot's base_dir: where `pipe` finds the socket of the listener (learning-socket.ts). */
export const LEARNING_FOLDER = "learning";

/**
 * Our own Sieve scripts, by file name: marked mail goes to Junk before any other script runs, and rspamd learns from messages moved
 * to and from Junk.
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
