import type { DovecotSettings } from "./settings.ts";

/** Where redirected mail and vacation replies go: to our listener (mail/sieve), which queues them. */
export const sieveSettings = ({
  sievePort,
}: DovecotSettings) => `submission_host = 127.0.0.1:${sievePort}
managesieve_notify_capability =
`;

/**
 * Sieve may file, copy, flag, forward (`redirect`) and answer (`vacation`). It may not send mail that
 * nobody asked for to senders that may be forged (reject) nor to anybody else (enotify).
 *
 * A message goes to ten addresses at most: five of `/account`, and some of the person's own script. It
 * leaves in the name of the mailbox, so that it hears when it cannot be delivered.
 */
export const sievePlugin = `  sieve = file:~/sieve;active=~/.dovecot.sieve
  sieve_extensions = -enotify -reject
  sieve_max_redirects = 10
  sieve_redirect_envelope_from = user_email
  sieve_vacation_min_period = 1d
  sieve_vacation_default_period = 7d
  sieve_vacation_send_from_recipient = yes
  sieve_quota_max_scripts = 50
  sieve_quota_max_storage = 1M
  recipient_delimiter = +
`;
