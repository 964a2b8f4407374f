"use client";

import { Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { isChecked, RECORD_LABELS } from "#app/console/(pages)/domains/domain-labels.ts";
import {
  type DomainDetail,
  type DomainRecord,
  doctorQuery,
  type RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { RecordDiagnosis, RecordProblemDetails } from "./record-diagnosis.tsx";
import classes from "./dns-doctor.module.css";
import { RecordStatus } from "./record-status.tsx";

/** Lists each record with its diagnosis. Records with problems start expanded. */
export function DnsDoctor({ domain }: { domain: DomainDetail }) {
  const doctor = useQuery(doctorQuery(domain));
  const problems = doctor.data?.problems ?? null;
  const general = problems?.filter(({ record }) => record === null) ?? [];
  const checked = domain.records.filter(isChecked);
  return (
    <Panel title="DNS doctor">
      <Text c="dimmed" role="status">
        {summaryText(domain)}
      </Text>
      <Text c="dimmed" mb="md">
        {returnPathText(domain)}
      </Text>
      <FormError error={doctor.error} />
      {general.map((problem) => (
        <div key={problem.code} className={classes.general}>
          <RecordProblemDetails problem={problem} value="" />
        </div>
      ))}
      <div className={classes.records}>
        {checked.map((record) => (
          <DoctorRecord key={record.kind} record={record} problems={problems} />
        ))}
      </div>
    </Panel>
  );
}

type RecordDiagnosisProps = { record: DomainRecord; problems: RecordProblem[] | null };

function DoctorRecord({ record, problems }: RecordDiagnosisProps) {
  return (
    <details className={classes.record} open={isOpen(record, problems)}>
      <summary className={classes.summary}>
        <IconChevronRight size={16} className={classes.chevron} aria-hidden="true" />
        <span className={classes.label}>{RECORD_LABELS[record.kind].label}</span>
        <RecordStatus record={record} problems={problems} />
      </summary>
      <div className={classes.content}>
        <RecordDiagnosis record={record} problems={problems} />
      </div>
    </details>
  );
}

function isOpen(record: DomainRecord, problems: RecordProblem[] | null): boolean {
  if (record.need === "optional") return false;
  return problems?.some(({ record: kind }) => kind === record.kind) ?? false;
}

function summaryText({ records, checkedAt }: DomainDetail): string {
  if (checkedAt === null) return "The records haven’t been checked yet.";
  const needed = records.filter(({ need, isVerified }) => need === "required" && !isVerified);
  if (needed.length === 0) return "All records required for sending are verified.";
  const names = needed
    .map(({ kind }) => RECORD_LABELS[kind].label)
    .join(", ")
    .replace(/, (?=[^,]+$)/, " and ");
  return `The domain can’t send until ${names} ${needed.length === 1 ? "is" : "are"} verified.`;
}

function returnPathText({ returnPath: path, isSpfAligned: isAligned }: DomainDetail): string {
  if (isAligned) return `Bounces go to ${path}, so SPF and DKIM both count for DMARC.`;
  return `Bounces go to ${path}, so only DKIM counts for DMARC. Publish the return path records so that SPF counts too.`;
}
