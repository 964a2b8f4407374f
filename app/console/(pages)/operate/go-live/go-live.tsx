"use client";

import { Button, Skeleton, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { ComponentType } from "react";

import { queryOf } from "#app/console/endpoint-queries.ts";
import { ConsoleError, read } from "#app/console/console-client.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { CheckAgain, CheckList, checksQuery } from "#app/console/ui/server-checks.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import {
  type GoLiveAnswer,
  type GoLiveStep,
  goLiveSteps,
  outsideCommands,
  PORTS,
  startCommands,
} from "./steps.ts";

const REFRESH_MS = 20_000;

/** Checks DNS and connects to other servers, which takes seconds. */
const goLiveQuery = (hostname: string) =>
  queryOf(
    "operate.getGoLive",
    { query: hostname ? { hostname } : {} },
    { refetchInterval: REFRESH_MS },
  );

/** The steps from local mode to a server that exchanges mail with others. */
export function GoLive() {
  const asked = useQuery(goLiveQuery(useSearchParams().get("hostname") ?? ""));
  // The URL may have an invalid hostname.
  const isInvalid = asked.error instanceof ConsoleError && asked.error.status === 422;
  const empty = useQuery({ ...goLiveQuery(""), enabled: isInvalid });
  const state = isInvalid ? empty : asked;
  return (
    <QueryView query={state} noun="the steps" skeleton={<Skeleton height={600} />} titleOrder={1}>
      {(answer) => (
        <GoLiveSteps
          answer={answer}
          error={isInvalid ? asked.error : null}
          isChecking={state.isFetching}
          checkAgain={() => void state.refetch()}
        />
      )}
    </QueryView>
  );
}

type GoLiveStepsProps = {
  answer: GoLiveAnswer;
  error: Error | null;
  isChecking: boolean;
  checkAgain: () => void;
};

function GoLiveSteps({ answer, error, isChecking, checkAgain }: GoLiveStepsProps) {
  const server = useQuery({ ...checksQuery, enabled: !answer.isLocal });
  const checks = answer.isLocal ? answer.checks : (server.data?.data ?? null);
  const steps = goLiveSteps(answer, checks);
  return (
    <>
      <PageHeader
        title="Go live"
        description={
          answer.isLocal
            ? "Set up this server to exchange mail with the internet."
            : `${answer.hostname} is the hostname of this server.`
        }
        action={
          answer.isLocal
            ? answer.hostname !== null && (
                <Button variant="default" aria-busy={isChecking} onClick={checkAgain}>
                  {isChecking ? "Checking…" : "Check again"}
                </Button>
              )
            : server.data && <CheckAgain answer={server.data} />
        }
      />
      <Stack gap="md">
        <FormError error={error} />
        {steps.map(({ name, tone, state, checks }, place) => {
          const { title, Text: StepText } = STEPS[name];
          return (
            <Panel
              key={name}
              title={`${place + 1}. ${title}`}
              aside={<Status tone={tone} label={state} />}
            >
              <Stack gap="sm">
                <StepText answer={answer} hostname={answer.hostname ?? EXAMPLE} />
                {checks.length > 0 && <CheckList label={`Checks: ${title}`} checks={checks} />}
              </Stack>
            </Panel>
          );
        })}
      </Stack>
    </>
  );
}

const EXAMPLE = "mail.example.com";

type StepProps = { answer: GoLiveAnswer; hostname: string };

function HostnameStep({ answer: { isLocal, hostname } }: StepProps) {
  if (isLocal) return <HostnameForm hostname={hostname} />;
  return <CopyableValue value={hostname!} label="hostname" />;
}

const OutgoingStep = () => (
  <Text>
    Many hosting providers block this port until you ask them to open it. Until then, mail to other
    servers stays queued.
  </Text>
);

const CertificateStep = () => (
  <Text>
    Posthouse gets a certificate from Let’s Encrypt within a minute once the hostname resolves to
    this server and ports 80 and 443 are open. To use your own, set <code>POSTHOUSE_TLS_CERT</code>{" "}
    and <code>POSTHOUSE_TLS_KEY</code> to the paths of its files.
  </Text>
);

const OutsideStep = ({ hostname }: StepProps) => (
  <>
    <Text>
      The checks above run on this server, so they can’t see a firewall in front of it. Run these
      commands on a computer in another network. Each must connect:
    </Text>
    <CodeBlock code={outsideCommands(hostname)} label="commands for a test from outside" />
    <Text>
      Then send a message from another provider to a mailbox on this server, and reply to it.
    </Text>
  </>
);

const DomainsStep = ({ answer: { isLocal } }: StepProps) => (
  <div>
    <Text mb="sm">
      Create your domains, and publish the DNS records on their pages.
      {isLocal && " They appear there once the server has its hostname."}
    </Text>
    <Button variant="default" component={Link} href="/console/domains">
      View domains
    </Button>
  </div>
);

/** In local mode, the hostname is only checked: the server reads its own from its settings at startup. */
function HostnameForm({ hostname }: { hostname: string | null }) {
  const form = useForm({
    initialValues: { hostname: hostname ?? "" },
    labels: { hostname: "Hostname" },
    checks: { hostname: required },
    draft: null,
    send: (query) => read("operate.getGoLive", { query }),
    onDone: (answer) => updateSearch({ hostname: answer.hostname ?? "" }, "replace"),
  });
  return (
    <Form
      form={form}
      actions={
        <SubmitButton form={form} style={{ alignSelf: "start" }}>
          Check hostname
        </SubmitButton>
      }
    >
      <TextInput
        {...form.field("hostname")}
        description="The name that other mail servers and mail apps connect to. It’s hard to change later, because the DNS records of your domains contain it."
        placeholder={EXAMPLE}
        autoCapitalize="off"
        spellCheck={false}
      />
    </Form>
  );
}

function ServerRecords({ answer: { hostname, isLocal, records } }: StepProps) {
  if (hostname === null)
    return (
      <Text>
        The hostname needs an A record with this server’s IP address, and the IP address a PTR
        record with the hostname. Large providers reject mail without them.
      </Text>
    );
  if (records.length === 0)
    return (
      <Text>
        All DNS records of this server are published.
        {isLocal &&
          " Once it runs with this hostname, the records for emails that Posthouse itself sends are listed here."}
      </Text>
    );
  return (
    <ItemList label="Records of the server">
      {records.map(({ type, name, value, purpose }) => (
        <ItemRow key={`${type} ${name}`} title={`${type} record`}>
          <DescriptionList>
            <DescriptionItem label="Name">
              <CopyableValue value={name} label={`name of ${type}`} />
            </DescriptionItem>
            <DescriptionItem label="Value">
              {/* A description if the server doesn't know its address. */}
              {type === "A" && value.includes(" ") ? (
                value
              ) : (
                <CopyableValue value={value} label={`value of ${type}`} />
              )}
            </DescriptionItem>
            <DescriptionItem label="Purpose">{purpose}</DescriptionItem>
          </DescriptionList>
        </ItemRow>
      ))}
    </ItemList>
  );
}

function StartCommands({ answer: { isLocal, isContainer, dataFolder }, hostname }: StepProps) {
  if (!isLocal) return <Text>Posthouse runs with this hostname.</Text>;
  const { docker, debian } = startCommands(hostname);
  return (
    <Tabs defaultValue={isContainer ? "docker" : "debian"} keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="debian">Debian</Tabs.Tab>
        <Tabs.Tab value="docker">Docker</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="debian">
        <Stack gap="sm">
          <Text>Stop Posthouse with Ctrl-C. Then, as root, in your clone of the repository:</Text>
          <CodeBlock code={debian} label="commands for Debian" />
          <Text c="dimmed">
            The server starts empty and prints a link to create your company. To keep companies that
            you created here, add <code>--data {dataFolder}</code>. The sandbox can’t be used on a
            server.
          </Text>
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="docker">
        <Stack gap="sm">
          <Text>Stop the container. Then, in your clone of the repository:</Text>
          <CodeBlock code={docker} label="commands for Docker" />
          <Text c="dimmed">
            The log has a link to create your company. If you started Posthouse with Docker Compose,
            its volume <code>posthouse_data</code> is kept. If you created domains in the sandbox,
            delete them first, because the sandbox can’t be used on a server.
          </Text>
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

const OpenPorts = () => (
  <>
    <Text>Let these TCP ports through every firewall in front of this server:</Text>
    <DescriptionList>
      {PORTS.map(([ports, purpose]) => (
        <DescriptionItem key={ports} label={ports}>
          {purpose}
        </DescriptionItem>
      ))}
    </DescriptionList>
  </>
);

const STEPS: Record<GoLiveStep["name"], { title: string; Text: ComponentType<StepProps> }> = {
  hostname: { title: "Choose the hostname", Text: HostnameStep },
  records: { title: "Publish the DNS records of the server", Text: ServerRecords },
  outgoing: { title: "Open port 25 for outgoing mail", Text: OutgoingStep },
  start: { title: "Start the server with the hostname", Text: StartCommands },
  incoming: { title: "Open the ports for incoming connections", Text: OpenPorts },
  certificate: { title: "Get a certificate", Text: CertificateStep },
  outside: { title: "Test from outside", Text: OutsideStep },
  domains: { title: "Publish the DNS records of your domains", Text: DomainsStep },
};
