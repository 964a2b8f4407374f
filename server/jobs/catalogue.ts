import { z } from "zod";

/** `all_removed`: by an operator. */
const SIGN_IN_CHANGE = z.enum([
  ...(["password_changed", "totp_added", "totp_removed", "all_removed"] as const),
  ...(["passkey_added", "passkey_removed", "recovery_codes_replaced"] as const),
]);

const MAILBOX_CHANGE = z.enum([
  ...SIGN_IN_CHANGE.exclude(["password_changed"]).options,
  ...(["app_password_created", "forwarding_changed"] as const),
]);

/** Received emails parsed at once. */
export const PARSERS_OF_RECEIVED = 2;
/** Admins' URLs called at once. */
const URLS_CALLED = 2;
/** Jobs that run at once: those above, and two of all others. */
export const JOBS_AT_ONCE = PARSERS_OF_RECEIVED + URLS_CALLED + 2;

/** Maps an ID to one of `count` queues. */
const queueOf = (name: string, id: string, count: number) =>
  `${name}:${Number.parseInt(id.slice(-4), 16) % count}`;

const withoutPayload = (name: string) => ({ payload: z.object({}), key: () => name });

const catalogue = {
  apply_retention: {
    payload: z.object({ every: z.enum(["hour", "night"]) }),
    key: ({ every }: { every: "hour" | "night" }) => `apply_retention:${every}`,
  },
  back_up: withoutPayload("back_up"),
  expire_domain_claims: withoutPayload("expire_domain_claims"),
  end_mail_sessions: {
    payload: z.object({ address: z.string() }),
    key: ({ address }: { address: string }) => `end_mail_sessions:${address}`,
  },
  import_mailboxes: {
    payload: z.object({ id: z.uuid() }),
    key: ({ id }: { id: string }) => `import_mailboxes:${id}`,
    // One at a time, because hashing passwords uses all CPU cores.
    queue: () => "import_mailboxes",
  },
  parse_received: {
    /** ID of the received email. */
    payload: z.object({ id: z.uuid(), companyId: z.uuid() }),
    key: ({ id }: { id: string }) => `parse_received:${id}`,
    // At most one per company at a time, and one per parser thread.
    queue: ({ companyId }: { companyId: string }) =>
      queueOf("parse_received", companyId, PARSERS_OF_RECEIVED),
  },
  post_notices: {
    payload: z.object({ settingsId: z.uuid() }),
    key: ({ settingsId }: { settingsId: string }) => `post_notices:${settingsId}`,
    // So that URLs that don't respond leave room for other jobs.
    queue: ({ settingsId }: { settingsId: string }) =>
      queueOf("post_notices", settingsId, URLS_CALLED),
  },
  // Recompiles forwarding rules after a change to where mail may be forwarded.
  refresh_forwards: {
    /** Without a mailbox, all of the company. */
    payload: z.object({ companyId: z.uuid(), mailbox: z.string().optional() }),
    key: ({ companyId, mailbox }: { companyId: string; mailbox?: string | undefined }) =>
      `refresh_forwards:${mailbox ?? companyId}`,
  },
  remove_mail_stores: withoutPayload("remove_mail_stores"),
  rotate_dkim_keys: withoutPayload("rotate_dkim_keys"),
  seal_audit: withoutPayload("seal_audit"),
  send_digests: withoutPayload("send_digests"),
  send_notice: {
    payload: z.object({
      /** UUIDv7. The ids of its emails follow from it. */
      id: z.uuid(),
      companyId: z.uuid(),
      notice: z.discriminatedUnion("kind", [
        z.object({
          kind: z.enum(["webhook_disabled", "webhook_failing"]),
          webhookId: z.uuid(),
        }),
        // Group members, identified by `noticedAt`.
        z.object({ kind: z.literal("members_failing"), noticedAt: z.string() }),
        z.object({
          kind: z.enum(["ownership_missing", "ownership_lost"]),
          domainId: z.uuid(),
        }),
        // Records that were verified are missing.
        z.object({
          kind: z.literal("records_missing"),
          domainId: z.uuid(),
          records: z.array(z.string()),
        }),
        // Mailboxes that are full or nearly full, identified by `noticedAt`.
        z.object({ kind: z.literal("mailboxes_full"), noticedAt: z.string() }),
        // New DKIM keys wait for their records.
        z.object({ kind: z.literal("dkim_rotated"), domainId: z.uuid() }),
        z.object({
          kind: z.literal("dns_records"),
          domainId: z.uuid(),
          to: z.string(),
          sentBy: z.string(),
        }),
        z.object({
          kind: z.literal("sending_held"),
          mailbox: z.string(),
          /** For a message that the spam filter found. */
          isSpam: z.boolean(),
        }),
        // Sent to the person only (people.ts).
        z.object({
          kind: z.literal("sign_in_changed"),
          email: z.string(),
          what: SIGN_IN_CHANGE,
        }),
        // Sent to the other owners, if others can read the mail of this admin.
        z.object({
          kind: z.literal("sign_in_mail_shared"),
          email: z.string(),
          event: z.enum(["reset", "promoted"]),
        }),
        // Sent to the mailbox itself (mailbox-passwords.ts).
        z.object({
          kind: z.literal("mailbox_factors_changed"),
          mailbox: z.string(),
          what: MAILBOX_CHANGE,
        }),
        // Sent to the forwarding address.
        z.object({ kind: z.literal("forward_requested"), confirmationId: z.uuid() }),
        // A link's token is stored nowhere else, so it is sealed.
        z.object({
          kind: z.literal("password_link"),
          mailbox: z.string(),
          to: z.string(),
          sentBy: z.string(),
          sealedToken: z.string(),
        }),
        z.object({
          kind: z.literal("invitation"),
          invitationId: z.uuid(),
          sealedToken: z.string(),
        }),
      ]),
    }),
    key: ({ id }: { id: string }) => `send_notice:${id}`,
  },
  send_reports: withoutPayload("send_reports"),
  send_reset_link: {
    /** As typed; may belong to no admin. */
    payload: z.object({ email: z.string() }),
    key: ({ email }: { email: string }) => `send_reset_link:${email}`,
  },
  store_changes: withoutPayload("store_changes"),
  // Sends a notification.
  tell_moderators: {
    /** The group's address. */
    payload: z.object({ group: z.string() }),
    key: ({ group }: { group: string }) => `tell_moderators:${group}`,
  },
  report_failing_members: withoutPayload("report_failing_members"),
  report_full_mailboxes: withoutPayload("report_full_mailboxes"),
  report_failing_webhooks: withoutPayload("report_failing_webhooks"),
};

export type JobName = keyof typeof catalogue;

type JobPayloads = { [Name in JobName]: z.output<(typeof catalogue)[Name]["payload"]> };
export type JobPayload<Name extends JobName> = JobPayloads[Name];

type Job<Payload> = {
  payload: z.ZodType<Payload>;
  /** At most one waiting job has this key. */
  key: (payload: Payload) => string;
  /** Jobs of one queue run one at a time. */
  queue?: (payload: Payload) => string;
};

/**
 * Every background job, by its name in the queue. `worker/tasks.ts` has one task for each;
 * nothing else may enqueue or run a job.
 */
export const jobs: { [Name in JobName]: Job<JobPayloads[Name]> } = catalogue;
