"use client";

import { Anchor, Box, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { keepPreviousData, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useParams, useRouter } from "next/navigation";
import { useState } from "react";

import { CompanyAllowList } from "#app/console/(pages)/api-keys/company-allow-list.tsx";
import {
  ACCESS_LABELS,
  type KeyAccessValues,
  KeyAccessFields,
  toAccess,
} from "#app/console/(pages)/api-keys/key-access-fields.tsx";
import {
  API_KEYS,
  type ApiKeyDetail,
  creatorName,
  type KeyChoices,
  KEYS_REFRESH_MS,
  keyStatus,
  permissions,
} from "#app/console/(pages)/api-keys/queries.ts";
import { rejectedUses } from "#app/console/(pages)/api-keys/rejected-uses.ts";
import { LOG_LIST } from "#app/console/(pages)/logs/log-columns.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DataTable } from "#app/console/ui/data-table.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { ConfirmDialog, DangerousAction } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

export function ApiKeyDetails() {
  const { id } = useParams<{ id: string }>();
  const key = useRead("apiKeys.get", { params: { id } }, { refetchInterval: KEYS_REFRESH_MS });
  return (
    <>
      <Breadcrumbs trail={[{ label: "API keys", href: "/console/api-keys" }]} />
      <QueryView query={key} noun="this API key" skeleton={<ApiKeySkeleton />} titleOrder={1}>
        {(key) => (
          <>
            <PageHeader
              documentTitle={`${key.name} · API keys`}
              title={key.name}
              description={<Status {...keyStatus(key)} />}
            />
            <Stack gap="md">
              <KeyFacts apiKey={key} />
              <KeyRequests apiKey={key} />
              {key.revokedAt === null && (
                <>
                  <ApiKeySettings apiKey={key} />
                  <RevokeApiKey apiKey={key} />
                </>
              )}
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

const ApiKeySkeleton = () => (
  <>
    <Skeleton height={20} width="30%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <PanelSkeleton count={7} />
  </>
);

function KeyFacts({ apiKey }: { apiKey: ApiKeyDetail }) {
  const list = apiKey.allowedAddresses;
  return (
    <Panel
      title="Details"
      aside={
        <Anchor component={Link} href={`/console/emails?key=${apiKey.id}`} size="sm">
          View emails
        </Anchor>
      }
    >
      <DescriptionList
        items={{
          Token: `${apiKey.prefix}_… (shown in full only at creation)`,
          Permission: permissions[apiKey.permission].label,
          Domain: apiKey.permission === "sending_access" && (apiKey.domain ?? "All domains"),
          "Created by": <CreatedBy apiKey={apiKey} />,
          "Allowed IP addresses": list.length === 0 ? "All" : list.join(", "),
          "Last used": apiKey.lastUsedAt ? <RelativeTime at={apiKey.lastUsedAt} /> : "Never",
          Created: <ExactTime at={apiKey.createdAt} />,
          Revoked: apiKey.revokedAt && <ExactTime at={apiKey.revokedAt} />,
          ID: <CopyableValue value={apiKey.id} label="ID" />,
        }}
      />
      {apiKey.revokedAt === null && <CompanyAllowList />}
    </Panel>
  );
}

/** The key's creator, and the privileges that the key currently has through them. */
function CreatedBy({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { creator, effectivePrivileges: privileges } = apiKey;
  const canOpen = usePrivileges().has("manage_admins");
  const name = creatorName(apiKey);
  const admin = canOpen ? (
    <Anchor component={Link} href={`/console/team/${creator.id}`} inherit underline="always">
      {name}
    </Anchor>
  ) : (
    name
  );
  if (creator.isDisabled) return <>{admin} (disabled). Requests with this key are rejected.</>;
  return (
    <>
      {admin}. {privilegeSummary(privileges)}
    </>
  );
}

function privilegeSummary({ isOwner, privileges }: ApiKeyDetail["effectivePrivileges"]): string {
  if (isOwner) return "The key has all privileges of an owner.";
  if (privileges.length === 0) return "The key has no privileges and can only send emails.";
  return `The key’s privileges: ${privileges.join(", ")}.`;
}

const SHOWN = 5;

/** `lastUsedAt` is updated only once a minute, so it can be behind. */
const LAST_USED_LAG_MS = 120_000;

function KeyRequests({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { id: keyId, lastUsedAt, blocked } = apiKey;
  // Start the search at the last request, since a rarely used key's requests are far back.
  const last = Math.max(...[lastUsedAt, blocked?.lastAt].map((at) => (at ? Date.parse(at) : 0)));
  const to = new Date(last + LAST_USED_LAG_MS).toISOString();
  const logs = useRead(
    "logs.list",
    { query: { apiKey: keyId, to, limit: String(SHOWN) } },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel
      title="Recent requests"
      aside={
        <Anchor component={Link} href={`/console/logs?apiKey=${keyId}`} size="sm">
          View all requests
        </Anchor>
      }
    >
      {blocked && <BlockedRequests keyId={keyId} blocked={blocked} />}
      <QueryView query={logs} noun="the requests" skeleton={<SkeletonLines count={2} />}>
        {({ data, searchedTo }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              {searchedTo
                ? "No requests with this key among your company’s most recent requests."
                : "No requests in the last 30 days."}
            </Text>
          ) : (
            <DataTable layout={LOG_LIST} rows={data} />
          )
        }
      </QueryView>
    </Panel>
  );
}

const BlockedRequests = ({
  keyId,
  blocked: { count, isCut, lastAt, address },
}: {
  keyId: string;
  blocked: NonNullable<ApiKeyDetail["blocked"]>;
}) => (
  <Panel title="Blocked requests">
    <Text>
      <Anchor
        component={Link}
        href={`/console/logs?${new URLSearchParams({ apiKey: keyId, error: "ip_not_allowed" })}`}
        inherit
        underline="always"
      >
        {isCut && "At least "}
        {pluralize(count, "request")}
      </Anchor>{" "}
      in the last 30 days {count === 1 ? "was" : "were"} blocked, the last{" "}
      <RelativeTime at={lastAt} />
      {address && ` from ${address}`}, because the IP address isn’t on an allow-list. If it’s yours,
      add it to the list. If not, someone else has the key, so revoke it.
    </Text>
  </Panel>
);

function ApiKeySettings({ apiKey }: { apiKey: ApiKeyDetail }) {
  const choices = useRead("apiKeys.getChoices", {});
  return (
    <>
      <Panel title="Name">
        <ApiKeyNameForm apiKey={apiKey} />
      </Panel>
      <Panel title="Access">
        <QueryView query={choices} noun="your domains" skeleton={<SkeletonLines count={8} />}>
          {(choices) => <KeyAccessForm apiKey={apiKey} choices={choices} />}
        </QueryView>
      </Panel>
    </>
  );
}

const useUpdateApiKey = () => useChange("apiKeys.update", { invalidates: API_KEYS });

function ApiKeyNameForm({ apiKey }: { apiKey: ApiKeyDetail }) {
  const update = useUpdateApiKey();
  const form = useForm({
    initialValues: { name: apiKey.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: `api-key-name-${apiKey.id}`,
    send: (body) => update.run({ params: { id: apiKey.id }, body }),
    onDone: () => toast("API key renamed"),
  });

  return (
    <Box maw={520}>
      <Form form={form} submit="Rename key" isSecondary>
        <TextInput
          {...form.field("name")}
          label={undefined}
          aria-label="Name"
          maxLength={50}
          autoComplete="off"
        />
      </Form>
    </Box>
  );
}

/** Changes what a key can do. A dialog asks first if requests like its recent ones would be rejected. */
function KeyAccessForm({ apiKey, choices }: { apiKey: ApiKeyDetail; choices: KeyChoices }) {
  const { id: keyId, permission, domainId } = apiKey;
  const client = useQueryClient();
  const update = useUpdateApiKey();
  const [asked, setAsked] = useState<{ values: KeyAccessValues; losses: string[] } | null>(null);
  const form = useForm({
    initialValues: {
      permission,
      domainId: domainId ?? "",
      allowedAddresses: apiKey.allowedAddresses.join("\n"),
    },
    labels: ACCESS_LABELS,
    draft: `api-key-access-${keyId}`,
    async send(values) {
      const access = toAccess(values);
      const domain = choices.domains.find(({ id }) => id === access.domainId)?.name;
      const losses = await rejectedUses(client, apiKey, { ...access, domain });
      if (losses.length === 0) return save(values);
      setAsked({ values, losses });
      return null;
    },
    stored: (saved) => saved,
  });

  async function save(values: KeyAccessValues): Promise<KeyAccessValues> {
    await update.run({ params: { id: keyId }, body: toAccess(values) });
    toast("Access saved. It applies from the next request.");
    return values;
  }

  return (
    <Box maw={520}>
      <Form form={form} gap="lg" submit="Save access" isSecondary>
        <KeyAccessFields
          form={form}
          permissions={permission === "test" ? ["test"] : ["sending_access", "full_access"]}
          choices={choices}
        />
      </Form>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title="Save this key’s access?"
        confirmLabel="Save access"
        onConfirm={async () => form.markSaved(await save(asked!.values))}
      >
        <Text>With this access, some of the key’s recent requests would have been rejected:</Text>
        <ul>
          {asked?.losses.map((loss) => (
            <li key={loss}>{loss}</li>
          ))}
        </ul>
      </ConfirmDialog>
    </Box>
  );
}

function RevokeApiKey({ apiKey: { id, name, scheduled } }: { apiKey: ApiKeyDetail }) {
  const router = useRouter();
  const revocation = useChange("apiKeys.revoke", {
    invalidates: API_KEYS,
    success: `${name} revoked`,
  });
  const consequence = cancellationNotice(scheduled);
  return (
    <DangerousAction
      title="Revoke this key"
      action="Revoke key"
      description={
        <>Requests with this key are rejected immediately. {consequence} This can’t be undone.</>
      }
      question="Revoke this key?"
      typeToConfirm={name}
      leavesPage
      onConfirm={async () => {
        await revocation.run({ params: { id } });
        router.replace("/console/api-keys");
      }}
    >
      Applications that use this key can no longer send emails. {consequence} Emails that were
      already sent with it stay in the list.
    </DangerousAction>
  );
}

function cancellationNotice(scheduled: number): string {
  if (scheduled === 0) return "The key has no scheduled emails.";
  if (scheduled === 1) return "1 scheduled email will be canceled.";
  return `${formatCount(scheduled)} scheduled emails will be canceled.`;
}
