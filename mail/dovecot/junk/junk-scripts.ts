/**
 * Sieve scripts of ours, by file name.
 *
 * Filing cancels the implicit keep, so no script of the person runs after it: an absence is not told to
 * spammers, and no spam is forwarded. A message that is thrown away from Junk is spam all the same.
 */
export const JUNK_SCRIPTS = {
  "junk.sieve": `require "fileinto";
if header :is "X-Posthouse-Junk" "yes" {
  fileinto "Junk";
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
