/** Expressions that Go reads. */
export const readExpressions =
  String.raw`(?i:abc) a(?i)b (?s-i)a (?U)a+ (?P<n>a) (?<n>a) (?P<1a>a) []a] [^]a] [*+] \Qa(\E
  a{,5} \pL \p{Greek} \x61 \x{61} \A\w\z \-\_ [[:alpha:]] a{1000} \0 \07 a] a} ((a{1,9}|b{10})[c{9}(]{10}){10}(d)`.split(
    /\s+/,
  );

/** Expressions that Go refuses. */
export const refusedExpressions = String.raw`a\y a{1001} (a{9,63}){1,20} a{2,1} \cA [] [z-a] [a-\d] [[:foo:]] [\Q]\E] \Z
  \p{Foo} \x{zz} \1 \8 (?=a) (?P=n) (?>a) a++ a** (a a\ `
  .trim()
  .split(/\s+/);

/** Plugins with one argument that CoreDNS refuses; `; ` is a line. */
export const misfits = [
  "cancel soon",
  "trace zipkin 10.1.1.1:9411 { every other }",
  "errors { consolidate 5 .* }",
  "errors { consolidate 5m [a }",
  "errors { consolidate 5m .* loud }",
  "log { class errors }",
  "local { localhost_prefix localhost }",
  "dns64 { prefix 64:ff9b:: }",
  "loadbalance random",
  "loadbalance round_robin { prefer 10.0.0.1 }",
  "cache 0",
  "cache { success many }",
  "cache { denial 9984 0 }",
  "cache { prefetch 1 60 }",
  "cache { prefetch 1 1m 9% }",
  "cache { serve_stale 1d }",
  "cache { serve_stale 1h later }",
  "cache { serve_stale_policy fresh }",
  "cache { servfail 5 }",
  "cache { disable all }",
  "header { query drop aa }",
  "header { query set tc }",
  "dnssec { cache_capacity some }",
  "template XX A",
  "template IN A { match [a }",
  "template IN A { rcode NONE }",
  "template IN A { ederror 65536 }",
  "hosts { fallthrough; ::1 a.example }",
  "hosts { ttl 0 }",
  "hosts { reload 5 }",
  "rewrite nam a.example b.example",
  "rewrite name stop a.example b.example",
  "rewrite stop { name contains a.example b.example; answer auto }",
  "rewrite name regex [a b.example",
  "rewrite name suffix .a.example .b.example answer name [a a.example",
  "rewrite stop { name regex [a b.example }",
  "auto { reload 60 }",
  "forward . 10.1.1.1 { policy foo }",
  "forward . 10.1.1.1 { max_fails -1 }",
  "forward . 10.1.1.1 { max_connect_attempts x }",
  "forward . 10.1.1.1 { health_check 1 }",
  "forward . 10.1.1.1 { expire 10 }",
  "forward . 10.1.1.1 { max_age 1d }",
  "forward . 10.1.1.1 { max_idle_conns 1.5 }",
  "forward . 10.1.1.1 { read_timeout 2 }",
  "forward . 10.1.1.1 { doh_method PUT }",
  "forward . 10.1.1.1 { max_concurrent 1k }",
  "forward . 10.1.1.1 { next NOPE }",
  "forward . 10.1.1.1 { failover NOPE }",
  "forward . dns.example { resolver ns.example }",
  "forward . 10.1.1.1 { source_address eth0 }",
  "grpc . 10.1.1.1:443 { policy foo }",
].map((plugin) => plugin.replace(/ \{ (.*) \}$/, " {\n  $1\n}").replaceAll("; ", "\n  "));
