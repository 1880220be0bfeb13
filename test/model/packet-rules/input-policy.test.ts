import { expect, test } from "vitest";
import { mayAcceptQueries } from "../../../src/model/packet-rules/input-policy";

function nft(...rules: string[]): string {
  return `table inet fw {\n\tchain input {\n\t\ttype filter hook input priority filter; policy drop;\n${rules.map((rule) => `\t\t${rule}\n`).join("")}\t}\n\n\tchain pods {\n\t\tudp dport 53 accept\n\t}\n}\n`;
}

test.each([
  ["port 53", ["udp dport 53 accept"], true],
  ["port 53 by name, in a set", ["meta l4proto { tcp, udp } th dport { 22, domain } accept"], true],
  ["a range", ["udp dport 1-1023 accept"], true],
  ["whatever comes from pods", ['iifname "cali*" accept'], true],
  ["another chain", ["jump pods"], true],
  ["another port", ["tcp dport 22 accept"], false],
  ["what it knows", ["ct state established,related accept", 'iif "lo" accept', "icmp type echo-request accept"], false],
  ["what a named set holds", ["udp dport @services accept"], true],
  ["what a map leads to", ["udp dport vmap { 53 : accept }"], true],
  ["new connections, by a map", ["ct state vmap { established : accept, new : jump pods }"], true],
  ["all ports but one", ["udp dport != 22 accept"], true],
  ["a chain that is only for SSH", ["tcp dport 22 jump pods"], false],
  ["nothing", [], false],
] as const)("nftables, accepts %s", (_what, rules, expected) => {
  expect(mayAcceptQueries(nft(...rules), "input")).toBe(expected);
});

test.each([
  ["port 53", "-A INPUT -p udp -m udp --dport 53 -j ACCEPT", true],
  ["several ports", "-A INPUT -p udp -m multiport --dports 22,50:60 -j ACCEPT", true],
  ["pods", "-A INPUT -s 10.244.0.0/16 -j ACCEPT", true],
  ["another chain", "-A INPUT -j PODS\n-A PODS -i eth0 -j ACCEPT", true],
  ["all ports but one", "-A INPUT -p udp -m udp ! --dport 22 -j ACCEPT", true],
  ["all links but the loopback", "-A INPUT ! -i lo -j ACCEPT", true],
  ["all states but one", "-A INPUT -m conntrack ! --ctstate INVALID -j ACCEPT", true],
  ["a loop", "-A INPUT -j PODS\n-A PODS -j INPUT", false],
  ["what it knows", "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n-A INPUT -i lo -j ACCEPT", false],
  ["another port", "-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT", false],
] as const)("iptables, accepts %s", (_what, rules, expected) => {
  expect(mayAcceptQueries(`*filter\n:INPUT DROP [0:0]\n${rules}\nCOMMIT\n`, "INPUT")).toBe(expected);
});
