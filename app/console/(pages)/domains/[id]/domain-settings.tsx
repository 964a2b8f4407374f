import { Button, Skeleton, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import {
  DELETED_KEYS,
  restoreItem,
  useRestorableUntil,
} from "#app/console/(pages)/deleted/restore.ts";
import {
  DOMAIN,
  type DomainDetail,
  domainQuery,
  type DomainUse,
} from "#app/console/(pages)/domains/queries.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf, useRead } from "#app/console/endpoint-queries.ts";
import { toast, useChange, useOptimisticUpdate } from "#app/console/ui/actions.tsx";
import { usePrivileges } from "#app/console/session.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { DangerousAction } from "#app/console/ui/dialog.tsx";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

export function DomainSettings({ domain }: { domain: DomainDetail }) {
  const { isOwner } = usePrivileges();
  const { data: use } = useRead("domains.getUse", { params: { id: domain.id } });
  return (
    <>
      {domain.isOwnershipVerified && (
        <>
          <DomainTracking domain={domain} />
          <DkimKeys domain={domain} />
        </>
      )}
      <Panel title="Details">
        <DescriptionList
          items={{
            Created: <ExactTime at={domain.createdAt} />,
            ...(domain.isOwnershipVerified && {
              Sending:
                domain.status === "verified"
                  ? "Enabled"
                  : "Disabled until SPF and DKIM are verified",
              Receiving: domain.receives ? "Enabled" : "Disabled until the MX record is verified",
              Mailboxes: use ? use.mailboxes : <Skeleton height={20} width={24} />,
              "API keys": use ? apiKeyCount(use) : <Skeleton height={20} width={140} />,
            }),
            ID: <CopyableValue value={domain.id} label="ID" />,
          }}
        />
      </Panel>
      {isOwner && (use ? <DeleteDomain domain={domain} use={use} /> : <Skeleton height={88} />)}
    </>
  );
}

const apiKeyCount = ({ apiKeys: count }: DomainUse) =>
  count === 0 ? "None restricted to this domain" : `${count} restricted to this domain`;

type DomainSwitch = "openTracking" | "clickTracking" | "oneClickUnsubscribe";
type DomainChanges = { [Name in DomainSwitch]?: boolean };

type Described = { field: DomainSwitch; label: string; description: string };

type DomainSwitchesProps = { domain: DomainDetail; title: string; switches: readonly Described[] };

/** A panel of a domain's switches; text for admins who may not change them. */
function DomainSwitches({ domain, title, switches }: DomainSwitchesProps) {
  const params = { id: domain.id };
  const update = useOptimisticUpdate(
    domainQuery(domain.id).queryKey,
    (body: DomainChanges) => change("domains.update", { params, body }),
    (now: DomainDetail, changes) => ({ ...now, ...changes }),
  );
  const mayUpdate = usePrivileges().has("domains");
  return (
    <Panel title={title}>
      <Stack gap="md">
        {switches.map(({ field, label, description }) =>
          mayUpdate ? (
            <Switch
              key={field}
              size="md"
              label={label}
              description={description}
              checked={domain[field]}
              onChange={(event) => update({ [field]: event.currentTarget.checked })}
            />
          ) : (
            <div key={field}>
              {label}: {domain[field] ? "on" : "off"}
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            </div>
          ),
        )}
        <Text size="sm" c="dimmed">
          Changes apply to emails sent from now on.
        </Text>
      </Stack>
    </Panel>
  );
}

const TRACKING = [
  {
    field: "openTracking",
    label: "Open tracking",
    description:
      "Adds a one-pixel image to HTML emails and records when it loads. Many mail apps block images or load them automatically, so treat opens as an estimate.",
  },
  {
    field: "clickTracking",
    label: "Click tracking",
    description:
      "Records clicks by routing links in HTML emails through this server. Links work for 180 days. For links to other sites, recipients first see a page that shows the destination and asks them to continue.",
  },
] as const;

const UNSUBSCRIBING = [
  {
    field: "oneClickUnsubscribe",
    label: "One-click unsubscribe",
    description:
      "Mail apps show an Unsubscribe button with each email to one recipient, unless the email has its own List-Unsubscribe header. Recipients who use it are suppressed: they no longer get any of your company’s emails, including password resets and receipts.",
  },
] as const;

const DomainTracking = ({ domain }: { domain: DomainDetail }) => (
  <>
    <DomainSwitches domain={domain} title="Tracking" switches={TRACKING} />
    <DomainSwitches domain={domain} title="Unsubscribing" switches={UNSUBSCRIBING} />
    <TrackingSubdomain domain={domain} />
  </>
);

/** Sets the host below the domain that tracking and unsubscribe links use. */
function TrackingSubdomain({ domain }: { domain: DomainDetail }) {
  const mayUpdate = usePrivileges().has("domains");
  return (
    <Panel title="Tracking subdomain">
      <Stack gap="md" maw={480}>
        <Text c="dimmed">{describeUse(domain)}</Text>
        {mayUpdate && <TrackingSubdomainForm domain={domain} />}
      </Stack>
    </Panel>
  );
}

function TrackingSubdomainForm({ domain }: { domain: DomainDetail }) {
  const update = useChange("domains.update", { invalidates: DOMAIN });
  const form = useForm({
    initialValues: { trackingSubdomain: domain.trackingSubdomain ?? "" },
    labels: { trackingSubdomain: "Subdomain" },
    draft: `tracking-subdomain-${domain.id}`,
    send: ({ trackingSubdomain: label }) =>
      update.run({ params: { id: domain.id }, body: { trackingSubdomain: label || null } }),
    followsServer: true,
    onDone: () => toast("Tracking subdomain saved"),
  });
  return (
    <Form form={form} submit="Save subdomain">
      <TextInput
        {...form.field("trackingSubdomain")}
        description={`For example, enter “links” for links.${domain.name}. Leave empty to use this server’s host.`}
        autoCapitalize="off"
        spellCheck={false}
      />
    </Form>
  );
}

function describeUse({ name, trackingSubdomain: label, ...domain }: DomainDetail): string {
  if (label === null)
    return "Tracking and unsubscribe links use this server’s host. A subdomain of your own keeps recipients on your domain.";
  const host = `${label}.${name}`;
  if (domain.isTrackingHostInUse)
    return `Tracking and unsubscribe links of new emails use ${host}. Links in sent emails stop working if you remove its record.`;
  const isFound = domain.records.some(({ kind, isVerified }) => kind === "tracking" && isVerified);
  return isFound
    ? `${host} points to this server. Links use it once its certificate is issued, usually within minutes.`
    : `Publish the Tracking record on the DNS tab. Until it is verified, links use this server’s host.`;
}

/** Rotates a domain's DKIM keys, and lists the records of replaced keys that are still needed. */
function DkimKeys({ domain }: { domain: DomainDetail }) {
  const rotation = useChange("domains.rotateKeys", { invalidates: DOMAIN });
  const isPublished = domain.records.some(({ kind, isVerified }) => kind === "dkim" && isVerified);
  const mayRotate = usePrivileges().has("domains") && isPublished && !domain.isRotatingKeys;
  return (
    <Panel title="DKIM keys">
      <Stack gap="md" align="flex-start">
        <Text c="dimmed">{explain(domain)}</Text>
        {domain.retiredKeys.map(({ host, keepUntil: until }) => (
          <Text key={host}>
            Keep the record <code>{host}</code> until <ExactTime at={until} />, when the last
            signature made with its key expires. Then delete it.
          </Text>
        ))}
        {mayRotate && (
          <Button
            variant="default"
            aria-busy={rotation.isPending}
            onClick={() => rotation.start({ params: { id: domain.id } })}
          >
            Rotate keys
          </Button>
        )}
      </Stack>
    </Panel>
  );
}

function explain({ isRotatingKeys: isRotating }: DomainDetail): string {
  return isRotating
    ? "Publish the new DKIM records on the DNS tab. Posthouse switches to the new keys once all name servers have the records. Until then, it signs with the current keys."
    : "Posthouse rotates the keys once a year and notifies the admins who can manage domains when there are new records to publish. You can also rotate them now. Posthouse signs with the current keys until the new records are published.";
}

function DeleteDomain({ domain, use }: { domain: DomainDetail; use: DomainUse }) {
  const { id, name, isOwnershipVerified: isKept } = domain;
  const router = useRouter();
  const until = useRestorableUntil();
  const input = { params: { id } };
  const deletion = useChange("domains.delete", {
    invalidates: DELETED_KEYS,
    forgets: [queryOf("domains.get", input), queryOf("domains.getUse", input), "dns"],
    success: `${name} deleted`,
    ...(isKept && { undo: undoDeletion }),
  });
  if (use.mailboxes > 0)
    return (
      <DangerZone title="Delete this domain">
        This domain has {pluralize(use.mailboxes, "mailbox", "mailboxes")}. Delete{" "}
        {use.mailboxes === 1 ? "it" : "them"} before you delete the domain. You can restore both
        later.
      </DangerZone>
    );
  const effects = `${consequences(domain, use)} ${(isKept && until) || ""}`;
  return (
    <DangerousAction
      title="Delete this domain"
      action="Delete domain"
      description={effects}
      question={`Delete ${name}?`}
      typeToConfirm={name}
      leavesPage
      onConfirm={async () => {
        await deletion.run(input);
        router.replace("/console/domains");
      }}
    >
      {effects} Keep its records at your DNS provider until then.
    </DangerousAction>
  );
}

async function undoDeletion(_: unknown, { deletedId: id }: AnswerOf<"domains.delete">) {
  if (id !== null) await restoreItem(id);
}

function consequences({ isOwnershipVerified }: DomainDetail, use: DomainUse): string {
  if (!isOwnershipVerified)
    return "Creating the domain again doesn’t reset its seven days to verify.";
  return [
    "Sending and receiving for this domain stop immediately, and its DMARC and TLS reports are deleted.",
    use.apiKeys > 0 &&
      `${pluralize(use.apiKeys, "API key")} restricted to this domain will be revoked until you restore it.`,
    use.scheduledEmails > 0 &&
      `${pluralize(use.scheduledEmails, "scheduled email")} will fail at the scheduled time.`,
  ]
    .filter(Boolean)
    .join(" ");
}
