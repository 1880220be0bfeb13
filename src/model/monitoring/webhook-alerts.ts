import { dense } from "../syntax/sparse";
import { jobs } from "./jobs";
import { alert, type Alert } from "./rule";

/** @param leastDays How long a certificate is valid when its successor should have replaced it days ago. */
export function webhookAlerts(leastDays: number): Alert[] {
  const job = `job="${jobs.webhook}"`;
  const requests = "cluster_dns_webhook_requests_total";
  const expiry = `min by (pod) (cluster_dns_webhook_certificate_expiry_timestamp_seconds{${job}})`;
  return [
    alert("ClusterDNSWebhookDown", "warning", {
      expr: `absent(up{${job}} == 1)`,
      summary: "No replica of the DNS webhook answers Prometheus",
      description:
        "No replica has been scraped for 5 minutes. Pods start, but without the DNS settings that it writes.",
    }),
    alert("ClusterDNSWebhookErrors", "warning", {
      expr: `sum(rate(${requests}{${job},answer=~"error_.*"}[5m])) / sum(rate(${requests}{${job}}[5m])) > 0.01`,
      summary: "The DNS webhook answers admission requests with errors",
      description:
        "{{ $value | humanizePercentage }} of the admission requests end in an error, and are allowed unchanged.",
    }),
    alert("ClusterDNSWebhookCertificateExpiring", "warning", {
      // 0: a replica that never had one.
      expr: `(${expiry} > 0) - time() < ${leastDays} * 86400 or ${expiry} == 0`,
      wait: "15m",
      summary: "The DNS webhook's certificate is not renewed",
      description:
        "{{ if eq $value 0.0 }}{{ $labels.pod }} has no valid certificate{{ else if lt $value 0.0 }}The certificate of {{ $labels.pod }} has expired{{ else }}The certificate of {{ $labels.pod }} expires in {{ $value | humanizeDuration }}{{ end }}; its renewal has failed.",
    }),
  ];
}

/** What the API server counts; `job` depends on who monitors it. */
export function slippedThroughAlerts({ audit, webhook }: { audit: boolean; webhook: boolean }): Alert[] {
  return dense([
    audit &&
      alert("ClusterDNSPodWithoutTenantDNS", "warning", {
        expr: more(
          'apiserver_validating_admission_policy_check_total{policy="cluster-dns-pod-dns-audit",enforcement_action="audit"}',
        ),
        wait: "0m",
        summary: "Pods slipped through admission without their tenant's DNS",
        description:
          "In 10 minutes, {{ $value | printf `%.0f` }} pods of tenants were created without their tenant's DNS.",
      }),
    webhook &&
      alert("ClusterDNSWebhookFailedOpen", "warning", {
        expr: more('apiserver_admission_webhook_fail_open_count{name=~".+[.]webhook[.]cluster-dns"}', "name"),
        wait: "0m",
        summary: "The API server did not get the DNS webhook's answer",
        description: "In 10 minutes, {{ $value | printf `%.0f` }} requests were allowed without {{ $labels.name }}.",
      }),
  ]);
}

/** A counter that grew, or began, which `increase` misses; it did not where Prometheus was away, or is new. */
function more(counter: string, by?: string): string {
  const sum = by === undefined ? "sum" : `sum by (${by}) `;
  return `${sum}(increase(${counter}[10m])) > 0 or ${sum}((${counter} unless ${counter} offset 10m) and on (instance) up offset 10m) > 0`;
}
