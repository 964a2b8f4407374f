import { notFound } from "next/navigation";

export default function UnknownAccountPage() {
  notFound();
}
