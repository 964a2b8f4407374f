"use client";

import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import {
  parseAddresses,
  groupUrl,
  listFieldError,
} from "#app/console/(pages)/groups/group-labels.ts";
import { groupOptionsQuery, useCreateGroup } from "#app/console/(pages)/groups/queries.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/no-mailboxes.tsx";
import { AddressFields, readAddress } from "#app/console/ui/address-fields.tsx";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { FormError, fieldError, errorForReason } from "#app/console/ui/form-error.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";
import { formText } from "#app/console/ui/form-text.ts";

const LIST = "/console/groups";

export function NewGroup() {
  const options = useQuery(groupOptionsQuery);
  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: LIST }]} />
      <PageHeader
        title="Create group"
        description="Anyone can post to the group until you restrict access."
        help="groups"
      />
      <Panel>
        <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={12} />}>
          {({ domains }) =>
            domains.length === 0 ? <NoVerifiedDomain /> : <NewGroupForm domains={domains} />
          }
        </QueryView>
      </Panel>
    </>
  );
}

function NewGroupForm({ domains }: { domains: string[] }) {
  const router = useRouter();
  const creation = useCreateGroup();
  const problems = {
    address:
      fieldError(creation.error, "address", "Address") ??
      errorForReason(creation.error, "already_exists"),
    name: fieldError(creation.error, "name", "Name"),
    members: listFieldError(creation.error, {
      ...{ field: "members", label: "Members" },
      entries: creation.variables?.members,
    }),
  };
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (creation.isPending || creation.isSuccess) return;
    const form = new FormData(event.currentTarget);
    creation.mutate(
      {
        address: readAddress(form),
        name: formText(form, "name").trim(),
        members: parseAddresses(formText(form, "members")),
      },
      { onSuccess: ({ id }) => router.replace(groupUrl(id)) },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="lg" maw={560}>
        <AddressFields domains={domains} placeholder="support" error={problems.address} />
        <TextInput
          name="name"
          label="Name"
          placeholder="Support"
          error={problems.name}
          maxLength={160}
          autoComplete="off"
        />
        <Textarea
          name="members"
          label="Members"
          description="Up to 200 addresses, one per line. External addresses are allowed."
          error={problems.members}
          size="md"
          rows={6}
          autoComplete="off"
          spellCheck={false}
        />
        {!isOfField && <FormError error={creation.error} />}
        <Group gap="xs">
          <Button type="submit" aria-busy={creation.isPending || creation.isSuccess}>
            Create group
          </Button>
          <Button component={Link} href={LIST} variant="default">
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
