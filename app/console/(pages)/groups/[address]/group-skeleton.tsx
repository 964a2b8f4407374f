import { Skeleton } from "@mantine/core";

import { Panel } from "#app/console/ui/panel.tsx";
import { SkeletonLines } from "#app/console/ui/query-view.tsx";

const MEMBERS = 5;

export function GroupSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Skeleton height={12} width={200} mb={24} />
      <Panel>
        <SkeletonLines count={MEMBERS} />
      </Panel>
    </>
  );
}
