"use client";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { useState } from "react";

import {
  type RoleFields,
  type Roles,
  rolesQuery,
  useCreateRole,
} from "#app/console/(pages)/team/role-queries.ts";
import { RoleForm, useRoleForm } from "#app/console/(pages)/team/roles/role-form.tsx";
import { SUGGESTED_ROLES } from "#app/console/(pages)/team/roles/suggested-roles.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/actions.tsx";

const LIST = "/console/team/roles";

export function NewRole() {
  const options = useQuery(rolesQuery);
  return (
    <>
      <Breadcrumbs
        trail={[
          { label: "Team", href: "/console/team" },
          { label: "Roles", href: LIST },
        ]}
      />
      <PageHeader title="Create role" help="roles" />
      <QueryView
        query={options}
        noun="the available privileges"
        skeleton={<Skeleton height={560} />}
      >
        {(options) => (
          <Panel>
            <NewRoleForm options={options} />
          </Panel>
        )}
      </QueryView>
    </>
  );
}

function NewRoleForm({ options }: { options: Roles }) {
  const router = useRouter();
  const create = useCreateRole();
  const suggestion = useSearchParams().get("suggestion");
  const [initialValues] = useState(() => initialFields(suggestion, options.holds));
  const form = useRoleForm({
    initialValues,
    draft: `new-role-${suggestion ?? ""}`,
    send: (fields) => create.mutateAsync(fields),
    onDone({ name }) {
      toast(`Role ${name} created`);
      router.replace(LIST);
    },
    leavesPage: true,
  });
  return (
    <RoleForm
      form={form}
      options={options}
      verb="Create role"
      aside={
        <Button component={Link} href={LIST} variant="default" onClick={form.discard}>
          Cancel
        </Button>
      }
    />
  );
}

/** @param holds the admin's own privileges: no others can be assigned */
function initialFields(suggestion: string | null, holds: string[]): RoleFields {
  const suggested = SUGGESTED_ROLES.find(({ name }) => name === suggestion);
  const { name = "", privileges = [] } = suggested ?? {};
  return { name, privileges: privileges.filter((one) => holds.includes(one)), unitId: null };
}
