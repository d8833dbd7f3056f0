import { BlockList } from 'node:net';
import { type Cluster, isSelected, type Peer, type Pod, portOf, type Rule } from './cluster.ts';

/** An address of each range that no pod may reach: private networks, loopback, and metadata of the cloud. */
const innerAddresses = ['10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1'];
const innerAddresses6 = ['fc00::1', 'fe80::1'];

/** Connections that the network policies allow a pod to open, as `peer:port`. */
export function allowedOut(cluster: Cluster, pod: Pod): Set<string> {
  return new Set(rulesOf(cluster, pod, 'Egress').flatMap((rule) => connectionsOf(cluster, rule)));
}

/** Connections that the network policies let a pod accept at its ports, as `peer:port`. */
export function allowedIn(cluster: Cluster, pod: Pod): Set<string> {
  const rules = rulesOf(cluster, pod, 'Ingress').map((rule) => ({
    ...rule,
    ...(rule.ports && { ports: rule.ports.filter(({ port }) => hasPort(pod, port)) }),
  }));
  return new Set(rules.flatMap((rule) => connectionsOf(cluster, rule)));
}

/** Ports of ingress rules at which none of the selected pods listens. */
export function idlePorts({ networkPolicies, pods }: Cluster): string[] {
  return networkPolicies.flatMap(({ metadata, spec }) => {
    const selected = pods.filter(({ labels }) => isSelected(spec.podSelector, labels));
    const ports = (spec.ingress ?? []).flatMap((rule) => rule.ports ?? []).map(({ port }) => port);
    return ports
      .filter((port) => !selected.some((pod) => hasPort(pod, port)))
      .map((port) => `${metadata.name}:${port}`);
  });
}

function hasPort({ spec }: Pod, port: number): boolean {
  return spec.containers.some((container) => portOf(container, port) !== undefined);
}

/** A pod that no policy of the direction selects may do everything. */
function rulesOf({ networkPolicies }: Cluster, { labels }: Pod, direction: 'Ingress' | 'Egress'): Rule[] {
  const policies = networkPolicies.filter(
    ({ spec }) => isSelected(spec.podSelector, labels) && spec.policyTypes.includes(direction),
  );
  if (policies.length === 0) return [{}];
  return policies.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? []);
}

function connectionsOf(cluster: Cluster, { from, to, ports }: Rule): string[] {
  const peers = (from ?? to)?.flatMap((peer) => namesOf(cluster, peer)) ?? ['everybody'];
  const numbers = ports?.map(({ port, protocol = 'TCP' }) => (protocol === 'TCP' ? `${port}` : `${port}/${protocol}`));
  return peers.flatMap((peer) => (numbers ?? ['every port']).map((port) => `${peer}:${port}`));
}

function namesOf(cluster: Cluster, { podSelector, namespaceSelector, ipBlock }: Peer): string[] {
  if (ipBlock !== undefined) return [isInternet(ipBlock) ? 'internet' : ipBlock.cidr];
  const labels = (podSelector?.matchLabels && Object.values(podSelector.matchLabels)) ?? [];
  if (namespaceSelector !== undefined) {
    const [name = 'any'] = Object.values(namespaceSelector.matchLabels ?? {});
    return [[...labels, 'namespace', name].join(' ')];
  }
  const pods = cluster.selected(podSelector ?? {});
  return pods.length > 0 ? pods : [`no pod of ${labels.join(', ')}`];
}

function isInternet({ cidr, except = [] }: NonNullable<Peer['ipBlock']>): boolean {
  const family = cidr.includes(':') ? 'ipv6' : 'ipv4';
  const left = new BlockList();
  for (const range of except) {
    const [network = '', bits] = range.split('/');
    left.addSubnet(network, Number(bits), family);
  }
  const inner = family === 'ipv6' ? innerAddresses6 : innerAddresses;
  return ['0.0.0.0/0', '::/0'].includes(cidr) && inner.every((address) => left.check(address, family));
}
