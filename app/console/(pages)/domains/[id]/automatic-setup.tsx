import { Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type ReactNode, useId, useState } from "react";

import {
  type DomainDetail,
  type SetupAccess,
  type SetupPlan,
  type SetupResult,
} from "#app/console/(pages)/domains/queries.ts";
import type { PublishingHost } from "#app/console/(pages)/domains/provider-fields.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize, typographic } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./domain.module.css";

type Props = {
  domain: DomainDetail;
  host: PublishingHost;
  onPublished: () => void;
  onClose: () => void;
};

/** Publishes the records through the API of the DNS provider: token, review, results. */
export const AutomaticSetupDialog = (props: Props) => (
  <Modal
    opened
    onClose={props.onClose}
    title={`Set up ${props.domain.name} at ${props.host.name}`}
    size="lg"
  >
    <SetupSteps {...props} />
  </Modal>
);

/** Only this component's state holds the token, so closing the dialog discards it. */
function SetupSteps({ domain, host, onPublished, onClose }: Props) {
  const [reviewed, setReviewed] = useState<{ access: SetupAccess; plan: SetupPlan } | null>(null);
  const [results, setResults] = useState<SetupResult[] | null>(null);
  const restart = () => {
    setReviewed(null);
    setResults(null);
  };
  if (results) return <SetupResults results={results} onRetry={restart} onClose={onClose} />;
  if (!reviewed)
    return (
      <SetupTokenForm
        domain={domain}
        host={host}
        onClose={onClose}
        onReviewed={(access, plan) => setReviewed({ access, plan })}
      />
    );
  return (
    <SetupReview
      {...reviewed}
      domain={domain}
      onBack={restart}
      onDone={(results) => {
        // The token is no longer needed.
        setReviewed(null);
        setResults(results);
        onPublished();
      }}
    />
  );
}

function SetupTokenForm({
  domain,
  host: { id: provider, name, url, hint },
  onReviewed,
  onClose,
}: {
  domain: DomainDetail;
  host: PublishingHost;
  onReviewed: (access: SetupAccess, plan: SetupPlan) => void;
  onClose: () => void;
}) {
  const preview = useChange("dns.previewDnsSetup");
  const form = useForm({
    initialValues: { token: "" },
    labels: { token: "API token" },
    checks: { token: required },
    draft: null,
    send: ({ token }) => preview.run({ params: { id: domain.id }, body: { provider, token } }),
    onDone: (plan, { token }) => onReviewed({ provider, token }, plan),
  });
  return (
    <Form
      form={form}
      actions={
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton form={form} pendingLabel="Reading records…">
            Review changes
          </SubmitButton>
        </Group>
      }
    >
      <Text>
        Create an API token at{" "}
        <Anchor href={url} underline="always" target="_blank" rel="noreferrer">
          {name}
        </Anchor>
        . {hint}
      </Text>
      <PasswordInput
        {...form.field("token")}
        description="Used for this setup only and never stored. You can revoke it afterward."
        autoComplete="off"
        data-autofocus
      />
    </Form>
  );
}

/** The exact changes, before anything is written. */
function SetupReview({
  domain,
  access,
  plan: { changes, digest, zone },
  onBack,
  onDone,
}: {
  domain: DomainDetail;
  access: SetupAccess;
  plan: SetupPlan;
  onBack: () => void;
  onDone: (results: SetupResult[]) => void;
}) {
  const [confirmed, setConfirmed] = useState<string[]>([]);
  const publishing = useChange("dns.publishDnsSetup", {
    onDone: ({ results }) => onDone(results),
  });
  const isIn = (action: string) => changes.filter((change) => change.action === action);
  const replaced = isIn("replace");
  const optional = replaced.filter((change) => change.needsConfirmation);
  const written = [...isIn("create"), ...replaced].filter(
    ({ needsConfirmation, key }) => !needsConfirmation || confirmed.includes(key),
  );
  const toggle = (key: string) =>
    setConfirmed((keys) =>
      keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key],
    );
  const input = { params: { id: domain.id }, body: { ...access, digest, confirmed } };
  const publish = () => void publishing.run(input).catch(() => undefined);
  return (
    <Stack gap="md">
      <Text>
        {written.length === 0
          ? `Nothing to change in ${zone}.`
          : `Posthouse will make these changes in ${zone}. Other records stay as they are.`}
      </Text>
      <PlannedChanges title="Create" changes={isIn("create")} />
      <PlannedChanges
        title="Replace"
        changes={replaced.filter((change) => !change.needsConfirmation)}
      />
      {optional.length > 0 && (
        <PlannedChanges title="Replace only if you confirm" changes={optional}>
          {({ key, type, name }) => (
            <Checkbox
              label={
                type === "MX"
                  ? `Route incoming mail for ${name} to this server`
                  : `Replace the ${type} record of ${name}`
              }
              checked={confirmed.includes(key)}
              onChange={() => toggle(key)}
            />
          )}
        </PlannedChanges>
      )}
      <PlannedChanges
        title="Blocked by a CNAME record or other records with the same name"
        changes={isIn("blocked")}
      />
      {isIn("keep").length > 0 && (
        <Text size="sm" c="dimmed">
          {pluralize(isIn("keep").length, "record")} already published.
        </Text>
      )}
      <FormError error={publishing.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button
          disabled={written.length === 0}
          aria-busy={publishing.isPending}
          onClick={() => !publishing.isPending && publish()}
        >
          {publishing.isPending ? "Publishing…" : `Publish ${pluralize(written.length, "record")}`}
        </Button>
      </Group>
    </Stack>
  );
}

type Change = SetupPlan["changes"][number];

type PlannedChangesProps = {
  title: string;
  changes: Change[];
  children?: (change: Change) => ReactNode;
};

/** @param children a control below each change */
function PlannedChanges({ title, changes, children }: PlannedChangesProps) {
  const titleId = useId();
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <Text id={titleId} component="h3" fw={600} size="sm" mb="xs">
        {title}
      </Text>
      <ul className={classes.changes}>
        {changes.map((change) => (
          <li key={change.key} className={classes.change}>
            <Text span fw={500} className={classes.long}>
              {change.type} {change.name}
            </Text>
            {change.before.map((text) => (
              <Text span key={text} size="sm" c="dimmed" className={classes.long}>
                {change.action === "blocked" ? "Existing:" : "Now:"} <code>{text}</code>
              </Text>
            ))}
            <Text span size="sm" c="dimmed" className={classes.long}>
              {change.before.length > 0 && (change.action === "blocked" ? "Wanted: " : "Then: ")}
              <code>
                {change.priority === null ? "" : `${change.priority} `}
                {change.after}
              </code>
            </Text>
            {children?.(change)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const OUTCOMES = {
  published: { tone: "done", label: "Published" },
  failed: { tone: "failed", label: "Failed" },
  skipped: { tone: "none", label: "Not changed" },
} as const;

type SetupResultsProps = { results: SetupResult[]; onRetry: () => void; onClose: () => void };

function SetupResults({ results, onRetry, onClose }: SetupResultsProps) {
  const count = (outcome: SetupResult["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const hasFailed = count("failed") > 0;
  return (
    <Stack gap="md">
      <Text role="status">
        {hasFailed
          ? `Published ${count("published")} of ${pluralize(results.length, "record")}. Try again to publish the rest.`
          : `Published ${pluralize(count("published"), "record")}. Posthouse is checking them now.`}
      </Text>
      <ul className={classes.changes}>
        {results.map(({ key, type, name, outcome, error }) => (
          <li key={key} className={classes.change}>
            <Status {...OUTCOMES[outcome]} />
            <Text span fw={500} className={classes.long}>
              {type} {name}
            </Text>
            {error !== null && (
              <Text span size="sm" c="dimmed" className={classes.long}>
                {typographic(error)}
              </Text>
            )}
          </li>
        ))}
      </ul>
      <Group justify="flex-end" gap="xs">
        {hasFailed && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  );
}
