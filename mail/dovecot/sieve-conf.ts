import type { DovecotSettings } from "./settings.ts";

/** Redirected mail and vacation replies go to our listener (mail/sieve), which queues them. */
export const sieveSettings = ({
  sievePort,
}: DovecotSettings) => `submission_host = 127.0.0.1:${sievePort}
managesieve_notify_capability =
`;

/**
 * Sieve can file, copy, flag, forward (`redirect`) and reply (`vacation`). It cannot send mail to senders that may
 * be forged (reject) or to arbitrary addresses (enotify).
 *
 * Up to ten redirects per message: five of `/account`, and some of the mailbox user's own script. The mailbox is
 * the envelope sender, so that it receives bounces.
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
