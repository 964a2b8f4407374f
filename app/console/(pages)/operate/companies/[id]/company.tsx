"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { COMPANY_STATES } from "#app/console/(pages)/operate/companies/company-states.ts";
import { companyQuery } from "#app/console/(pages)/operate/companies/queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { CompanyFacts } from "./company-facts.tsx";
import { CompanyPlan } from "./company-plan.tsx";
import { CompanyOwners } from "./company-owners.tsx";
import { CompanySuspension } from "./company-suspension.tsx";
import { CompanyAccess } from "./company-access.tsx";

export function CompanyDetails({ id }: { id: string }) {
  const company = useQuery(companyQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: "/console/operate/companies" }]} />
      <QueryView query={company} noun="this company" skeleton={<CompanySkeleton />} titleOrder={1}>
        {(company) => (
          <>
            <PageHeader
              documentTitle={`${company.name} · Companies`}
              title={company.name}
              description={<Status {...COMPANY_STATES[company.state]} />}
            />
            <Stack gap="md">
              <CompanyFacts company={company} />
              <CompanyOwners company={company} />
              <CompanyPlan key={company.plan?.id ?? "own"} company={company} />
              <CompanyAccess company={company} />
              <CompanySuspension company={company} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

export function CompanySkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={28} width={260} />
      <Skeleton height={200} />
      <Skeleton height={260} />
    </Stack>
  );
}
