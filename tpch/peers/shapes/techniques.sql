-- For each technique of Multiloop (exec/src/technique.rs, the rules and passes of the planner) a query that it could hurt,
-- over the shop of shop.sql and its tables of odds and ends. What is tried to hurt stands behind the question.

-- shuffled-keys: groups by a key that has one row each, in no order, and no two tables alike (ordered, dense, in-place, own-groups)
select o.n % 7 as seventh, count(*) as groups, sum(o.total) as total, max(e.weight) as weight
from (select n, sum(price) as total, count(*) as lines from odds group by n) as o
join ends e on e.n = o.n
where o.lines = 1
group by o.n % 7
order by seventh;

-- texts-all-different: groups by texts that a dictionary cannot hold (dictionaries, domains, distinct-first)
select count(distinct token) as tokens, count(distinct nearly) as nearly, count(distinct page) as pages,
       count(distinct late) as late
from odds;

-- groups-of-long-texts: groups by a text that hardly repeats and is alike for its first 47 characters (dictionaries, sort-keys)
select page, count(*) as times, sum(price) as total
from odds
group by page
order by times desc, page
limit 20;

-- texts-late: few texts at first, and then each another one (dictionary-conditions, memo, few)
select case when late like 'late%' then upper(left(late, 6)) else upper(late) end as kind, count(*) as times, sum(price) as total
from odds
where late in ('new', 'paid', 'late 17', 'late 4711') or late like '%9_'
group by 1
order by 1;

-- nothing-to-skip: a week and a month of rows that lie in no order of time (chunk-pruning, intervals)
select date_trunc('day', stamp) as day, count(*) as times, sum(amount) as amount, avg(rate) as rate
from odds
where stamp >= timestamp '2023-05-01' and stamp < timestamp '2023-06-08' and not (amount between 100 and 900)
group by date_trunc('day', stamp)
order by day;

-- key-far-out: a thousand groups, and one far out (direct, few, direct-index, ranked)
select o.outlier, count(*) as times, sum(o.price) as total, count(o.amount) as amounts, max(d.deepest) as deepest
from odds o
join (select outlier, min(amount) as deepest from odds group by outlier) as d on d.outlier = o.outlier
group by o.outlier
order by total desc, o.outlier
limit 25;

-- keys-far-apart: twenty thousand 64-bit keys, joined and grouped (domains, late-values, key-steps)
with sums as (select far, sum(rate) as total, count(*) as times from odds group by far)
select case when o.far < 4000000000000000000 then 'low' else 'high' end as half, count(*) as times,
       sum(o.rate / s.total) as shares, max(o.far) as largest
from odds o join sums s on s.far = o.far
where o.far <> 461168601842738 and s.times > 20
group by case when o.far < 4000000000000000000 then 'low' else 'high' end
order by half;

-- ratios-of-decimals: quotients of decimals, row by row (narrow-registers, sums)
select o.grade, sum(o.price / s.total) as shares, max(100 * o.price / (o.price + 1)) as percent
from odds o join (select grade, sum(price) as total from odds group by grade) as s on s.grade = o.grade
group by o.grade
order by o.grade;

-- steps-but-for-one: keys in steps of a thousand, and one that is not (steps, key-steps)
select count(*) as groups, max(times) as most, sum(total) as total
from (select step, count(*) as times, sum(wide) as total from odds group by step) as steps
where total > 6000;

-- wide-but-for-some: small numbers, in each chunk a few large ones (frames, narrow-registers, fused)
select sum(wide), sum(wide + 7), sum(case when wide < 50 then wide else 0 end), avg(wide * wide::bigint), count(*)
from odds
where wide + grade > 20 and wide - 3 < 2000000050;

-- everything-is-tied: the first hundred of an order in which the first keys say nothing (top-k-rejects, sort-keys)
select tie, flag, grade, page, n
from odds
order by tie, tie * 2, flag, page, n
limit 100;

-- the-best-come-last: each row is better than all before it, or nearly (top-k-rejects)
select receipt_no, line, sold_at, paid
from store_sales
where quantity is not null
order by sold_at desc, receipt_no, line
limit 1000;

-- sums-with-nulls: sums and differences with constants and NULLs, of many forms (fused, masked-reductions, column-sums)
select sum(amount + 1), sum(amount - 3000), sum(1 - amount), sum(coalesce(amount, 0) + 1), sum(amount * 2 + 1), avg(amount + rate),
       sum(rate + 1), sum(price + 1), sum(price - amount), count(amount + rate), min(amount + 1), max(7 - amount)
from odds;

-- distinct-of-everything: nearly all rows differ, which only the last columns say (distinct, group keys, radix-partition)
select count(*) as times, sum(amount) as sum, count(page) as pages
from (select distinct tie, flag, grade, digits, amount, page, rate from odds) as different;

-- selective-in-the-middle: joins that fan out, and a condition between them that drops nearly all (masked-probes, early-conditions)
select p.category, count(*) as times, sum(s.paid) as revenue
from store_sales s
join customers c on c.customer_id = s.customer_id
join products p on p.product_id = s.product_id
join shops h on h.shop_id = s.shop_id
where (s.unit_price * c.household) % 17 = 3
  and (c.income / 1000 + p.weight_kg * 3 > 90 or p.list_price < 1.1 and h.floor_m2 > 4000)
  and length(p.title) + h.floor_m2 % 10 > 25
group by p.category
order by p.category;

-- filters-that-filter-nothing: every key is found, so that asking first is for nothing (key-filter, semi joins)
select e.part, count(*) as times, sum(o.price) as total
from odds o
join ends e on e.n = o.n
where o.n in (select n from ends where weight >= 0) and o.token in (select token from odds)
group by e.part
order by e.part;

-- error-that-nobody-reaches: the last rows divide by zero, and no shop asks for them (speculation)
select h.shop_id, h.name, (select max(7000 % o.divisor) from odds o where o.grade = h.shop_id) as most
from shops h
where h.floor_m2 < (select sum(9000 % o.divisor) from odds o where o.grade = h.shop_id)
order by h.shop_id;

-- guarded-casts: texts that are numbers, but for the last (speculation, memo)
select sum(case when digits like '%/%' then 0 else cast(digits as integer) end) as sum,
       count(case when digits <> 'n/a' then nullif(cast(digits as integer), 0) end) as times
from odds
where flag;

-- hardly-any-group-twice: as many groups as rows, by three columns (radix-partition, prefetch, hash)
select max(times) as most, count(*) as groups, sum(total) as total
from (select nearly, grade, flag, count(*) as times, sum(price) as total from odds group by nearly, grade, flag) as groups;

-- neighbours-never-alike: probes in no order, no two alike (duplicate-runs, prefetch, integer-keys, keys-in-columns)
select count(*) as times, sum(e.weight) as weight, count(l.n) as later
from odds o
join ends e on e.n = o.n * 7919 % 800000
left join ends l on l.n = o.n + 400000;

-- many-conditions: aggregates with conditions of their own, of groups that change from row to row (put-aside, group-masks)
select grade % 12 as twelfth, flag,
       sum(case when amount > 0 then price end) as a, sum(case when wide < 10 then price end) as b,
       sum(case when rate > 25 then price end) as c, sum(case when outlier < 500 then amount end) as d,
       count(case when late = 'paid' then 1 end) as e, avg(case when stamp < timestamp '2023-01-01' then rate end) as f,
       count(*) filter (where digits like '1%') as g, max(case when step > 2500000 then page end) as h
from odds
group by grade % 12, flag
order by twelfth, flag;

-- patterns-that-match-everywhere: LIKE where each text matches, or each nearly does (text-search)
select count(*) filter (where page like '%catalog%pages%html') as all_of_it,
       count(*) filter (where page like '%0/index%') as tenth,
       count(*) filter (where page ilike '%PAGES/0001%') as some,
       count(*) filter (where token like '%a_b%') as odd,
       count(*) filter (where page not like 'https://shop.example/%7%') as without
from odds;

-- order-of-long-texts: places by texts that begin alike (sort-keys, window)
select count(*) as times, sum(place % 1000) as check, max(before) as last
from (select n, row_number() over (order by page, price desc, n) as place, lag(page) over (order by page, price desc, n) as before
      from odds where flag) as placed
where place % 3 = 0;

-- texts-of-two-dictionaries: a join by texts that hardly repeat, of two tables (translation, domains, hash of strings)
select e.part, count(*) as times, count(distinct o.nearly) as texts, sum(o.price) as total
from odds o join ends e on e.label = o.nearly
group by e.part
order by e.part;

-- one-key-is-asked-for: a subquery for each row, where there are two rows (conditional-reduce, demand-restriction)
select h.shop_id, h.name,
       (select count(*) from odds o where o.outlier = h.shop_id) as odds,
       (select max(s.paid) from store_sales s where s.shop_id = h.shop_id and s.payment = 'voucher') as most
from shops h
where h.shop_id in (17, 63)
order by h.shop_id;

-- hot-buckets: is there a receipt of the same customer that is far larger? Some customers have thousands (nested blocks, any)
select count(*) as lines, count(distinct w.customer_id) as customers
from web_sales w
where w.device = 'tablet'
  and exists (select 1 from store_sales s
              where s.customer_id = w.customer_id and s.paid > 20 * w.paid and s.sold_on > w.ordered_on);

-- left-joins-turned: what has no partner among many more rows, with conditions on both (turn-left-join, turn-anti-join)
select c.segment, count(*) as customers, count(s.receipt_no) as lines, sum(coalesce(s.quantity, 0)) as pieces
from customers c
left join store_sales s on s.customer_id = c.customer_id and s.payment = 'cash' and s.paid > 800 and c.income > 20000
left join odds o on o.n = c.customer_id - 1000000 and o.flag
where o.n is null or o.amount is null
group by c.segment
order by c.segment;

-- columns-that-say-the-same: conditions that depend on each other, so that estimates are far off (join-order, selectivity)
select h.state, count(*) as times, sum(r.refund) as refunds
from store_sales s
join products p on p.product_id = s.product_id
join store_returns r on r.receipt_no = s.receipt_no and r.line = s.line
join shops h on h.shop_id = s.shop_id
join catalog_sales k on k.product_id = s.product_id and k.buyer_id = s.customer_id
where p.category = 'home' and p.class like 'home / %' and p.class <> 'home / 10' and s.list_price >= s.unit_price
  and s.sold_at >= s.sold_on and s.sold_at < s.sold_on + interval '1 day' and k.shipped_on >= k.ordered_on
group by h.state
order by h.state;

-- many-to-many: pairs by a key that both sides repeat (group-join, reduce-probed-bucket, aggregate-before-join)
select t.warehouse_id, count(*) as pairs, sum(r.quantity) as returned, sum(t.on_hand) as held, count(distinct r.reason_id) as reasons
from store_returns r join stock t on t.product_id = r.product_id and t.on_hand > r.quantity * 50
group by t.warehouse_id
order by t.warehouse_id;

-- receipts-and-their-lines: large receipts with their lines, of a table that is clustered by them but not in their order (own-groups)
select s.receipt_no, s.sold_at, s.customer_id, sum(s.quantity) as pieces, count(*) as lines, sum(s.paid) as total
from store_sales s
where s.receipt_no in (select receipt_no from store_sales group by receipt_no having sum(quantity) > 60)
group by s.receipt_no, s.sold_at, s.customer_id
order by pieces desc, total desc, s.receipt_no
limit 100;

-- few-customers-of-many: groups by customer of which a rare condition keeps a handful (aggregate-before-join, group-filter)
select c.customer_id, c.last_name, a.city, sum(s.paid) as total, count(*) as lines
from store_sales s
join customers c on c.customer_id = s.customer_id
join addresses a on a.address_id = c.address_id
where c.note like '%snow snow%' and a.second_line is not null
group by c.customer_id, c.last_name, a.city
having sum(s.paid) > 100
order by total desc, c.customer_id;

-- one-table-thrice: a common table that is read three times, with other conditions each (inline-cte, share-filtered-rows)
with lines as (
    select s.customer_id, s.product_id, s.paid, p.category, c.year
    from store_sales s join products p on p.product_id = s.product_id join calendar c on c.day = s.sold_on
    where s.promotion_id is null
)
select a.category, count(*) as customers, sum(a.paid) as before, sum(b.paid) as after, max(m.most) as most
from (select customer_id, category, sum(paid) as paid from lines where year = 2023 group by customer_id, category) as a
join (select customer_id, category, sum(paid) as paid from lines where year = 2024 group by customer_id, category) as b
  on b.customer_id = a.customer_id and b.category = a.category
join (select category, max(paid) as most from lines group by category) as m on m.category = a.category
where b.paid > 2 * a.paid
group by a.category
order by a.category;

-- sums-of-doubles: exact sums of doubles that cancel, by groups (sums)
select grade, sum(rate) as sum, sum(rate * price::double precision - 700) as other, avg(rate - 25) as mean, stddev_samp(rate) as deviation
from odds
where grade < 100
group by grade
order by grade;

-- functions-of-many-values: functions of texts and times that are all different (memo)
select upper(substring(token from 1 for 1)) as first, count(*) as times, sum(length(replace(page, '/', ''))) as length,
       min(extract(minute from stamp)) as least, max(lower(left(token, 5))) as most, sum(cast(right(page, 4) = 'html' as integer)) as html
from odds
where position('ff' in token) > 0
group by upper(substring(token from 1 for 1))
order by first;

-- hardly-any-partner: dear expressions of rows that find no partner (outer-levels, memo, early-conditions)
select count(*) as times, sum(length(replace(upper(o.page), 'SHOP', 'stall')) + length(translate(o.token, 'abc', 'xyz'))) as length,
       sum(extract(day from o.stamp) * coalesce(o.rate, 1)) as product
from odds o join shops h on h.shop_id * 100003 = o.n * 7 + 1
   left join reasons q on q.reason_id = o.grade % 5000;

-- few-of-the-members: conditions on texts of many rows, few of which are joined with any (member-values)
select sum(case when p.description like '%soft%' then s.paid end) as soft, sum(case when p.title like 'A%' then s.paid end) as first,
       count(*) filter (where length(p.description) > 100) as long
from store_sales s join products p on p.product_id = s.shop_id;

-- partners-for-all: a test of texts that leaves hardly any row, before a join that leaves all (early-conditions)
select count(*) as rows, sum(p.cost) as cost
from odds o join products p on p.product_id = o.n % 17000 + 2
where o.token like '%ab%' and o.page like '%9%';

-- other-shops-too: lines of customers who brought something back to another shop, or to none that is known (exists-disequality, any)
select count(*) as lines, sum(s.paid) as revenue
from store_sales s
where exists (select 1 from store_returns r where r.customer_id = s.customer_id and r.shop_id <> s.shop_id)
  and not exists (select 1 from store_returns r where r.customer_id = s.customer_id and r.product_id <> s.product_id and r.refund > 3000);

-- more-than-any: comparisons with ANY and ALL, of all rows and of those of the same key (any-less-to-extreme, any-equal-to-exists)
select count(*) as lines, sum(w.paid) as revenue
from web_sales w
where w.paid > all (select k.paid from catalog_sales k where k.product_id = w.product_id and k.paid is not null
                    and k.ordered_on < date '2021-07-01')
  and w.quantity >= any (select r.quantity from web_returns r where r.product_id = w.product_id)
  and w.product_id <> all (select product_id from products where dropped_on is not null);

-- siblings: two subqueries for each customer, of the same rows and of some of them (merge-sibling-groups, conditional-reduce)
select c.segment, count(*) as customers, sum(all_of_it) as lines, sum(large) as large, max(largest) as largest
from (
    select c.segment, (select count(*) from store_sales s where s.customer_id = c.customer_id) as all_of_it,
           (select count(*) from store_sales s where s.customer_id = c.customer_id and s.paid > 500) as large,
           (select max(s.paid) from store_sales s where s.customer_id = c.customer_id and s.payment <> 'cash') as largest
    from customers c
) as c
where large * 10 > all_of_it
group by c.segment
order by c.segment;

-- texts-in-order: comparisons of texts by order, and texts of groups in order (late-values, dictionaries, domains)
select left(o.nearly, 3) as beginning, count(*) as times, min(o.nearly) as least, max(e.label) as most
from odds o join ends e on e.n = o.n
where o.nearly < e.label and o.late between 'new' and 'paid'
group by left(o.nearly, 3)
order by most desc, beginning
limit 30;

-- filters-above: conditions on what unions, windows and groups have made (push-filter, drop-order, prune-columns)
select channel, product_id, place, paid
from (
    select u.*, rank() over (partition by channel, product_id order by paid desc nulls last, day, n) as place,
           count(*) over (partition by channel) as lines
    from (
        select 'store' as channel, product_id, sold_on as day, receipt_no * 16 + line as n, paid from store_sales
        union all
        select 'catalog', product_id, ordered_on, order_no * 16 + line, paid from catalog_sales
    ) as u
) as placed
where product_id between 100 and 160 and place <= 2 and lines > 1000
order by channel, product_id, place;

-- sums-of-different-values: DISTINCT within aggregates of several columns (distinct-arguments, set)
select h.state, sum(distinct s.paid) as paid, count(distinct s.receipt_no) as receipts, count(distinct s.sold_on) as days,
       avg(distinct s.quantity) as quantity, count(distinct s.payment) as payments
from store_sales s join shops h on h.shop_id = s.shop_id
group by h.state
order by h.state;

-- fourteen-tables: a star of many small tables, some of them twice (join-order, join-greedy)
select h.state, o.medium, q.reason, count(*) as times, sum(r.refund) as refunds
from store_returns r
join store_sales s on s.receipt_no = r.receipt_no and s.line = r.line
join shops h on h.shop_id = r.shop_id
join shops g on g.shop_id = s.shop_id
join products p on p.product_id = r.product_id
join customers c on c.customer_id = r.customer_id
join customers b on b.customer_id = s.customer_id
join addresses a on a.address_id = c.address_id
join addresses f on f.address_id = b.address_id
join promotions o on o.promotion_id = s.promotion_id
join reasons q on q.reason_id = r.reason_id
join calendar d on d.day = r.returned_on
join calendar e on e.day = s.sold_on
join warehouses w on w.warehouse_id = 1 + p.product_id % 6
where d.year = e.year and a.state = f.state and h.state = g.state and p.category <> 'music' and w.state is not null
group by h.state, o.medium, q.reason
order by h.state, o.medium, q.reason;

-- one-of-many-values: long lists, of which some hit (factor-or, intervals, dictionary-conditions)
select count(*) filter (where step in (1000, 17000, 4711, 99000, 123000, 2000000, 4999000, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21000)) as steps,
       count(*) filter (where page like '%00000017%' or page like '%00000019%' or token like 'ab%' or token like '%cd') as texts,
       count(*) filter (where (grade = 3 and flag) or (grade = 3 and amount > 0) or (grade = 5 and rate < 1)) as arms,
       sum(price) as total
from odds
where digits in ('1', '17', '4711', '999', '1000', '1001', '1002', '1003', 'n/a') or wide between 90 and 95 or far % 1000 = 7;

-- wide-frames: sums and extremes over frames of many rows (window)
select warehouse_id, max(around) as most, min(least) as least, sum(mean) as means
from (
    select warehouse_id,
           sum(on_hand) over (partition by warehouse_id order by counted_on, product_id rows between 60 preceding and 60 following) as around,
           min(on_hand) over (partition by warehouse_id order by counted_on, product_id rows between 20 preceding and current row) as least,
           avg(on_hand) over (partition by warehouse_id order by counted_on, product_id rows between current row and 30 following) as mean
    from stock
    where counted_on >= date '2023-07-01'
) as frames
group by warehouse_id
order by warehouse_id;

-- subqueries-by-range: what lies in a range of its own, for each product (bucket-correlated-rows, nested blocks)
select p.category, sum(q.often) as often, max(q.most) as most, count(*) as goods
from products p
join lateral (
    select (select count(*) from stock t where t.product_id = p.product_id and t.on_hand < p.list_price) as often,
           (select max(s.paid) from catalog_sales s where s.product_id = p.product_id
            and s.ordered_on between p.launched_on + 1500 and coalesce(p.dropped_on, date '2024-12-31')) as most
) as q on true
where p.launched_on < date '2019-01-01'
group by p.category
order by p.category;

-- baskets-as-lists: what each customer has bought as lists, looked into, counted and taken apart again (arrays as texts, gathers)
select pieces % 10 as last_digit, count(*) as lines, sum(pieces) as pieces, max(most) as most
from (
    select unnest(l.pieces) as pieces, list_max(l.pieces) as most
    from (select customer_id, array_agg(quantity) as pieces from store_sales where customer_id is not null group by customer_id) as l
    where len(l.pieces) > 4 and list_contains(l.pieces, 3) and l.pieces[2] < 50
) as each
group by 1
order by 1;

-- roots-at-a-bound: roots of numerics divided by numerics, each of which is what it is compared with (estimates)
select count(*) as customers, sum(lines) as lines
from (
    select customer_id, count(*) as lines
    from store_sales
    group by customer_id
    having sqrt((count(*) * count(*))::numeric) / count(*) >= 1
) as each;

-- lists-of-odd-tokens: lists of texts that are all different, each once and in order, of groups of few rows (gathered-values)
select length(tokens) % 10 as last_digit, count(*) as groups, max(prices[1]) as dearest
from (select n % 400000 as part, string_agg(distinct token, ',') as tokens, array_agg(price order by page, price desc) as prices from odds group by 1) as l
group by 1
order by 1;

-- tails-of-one-row: percentiles and modes of groups that have hardly a row, and of one large group (shared-values)
select part % 3 as third, count(*) as groups, max(low) as low, max(high) as high, min(often) as often
from (select case when n % 5 = 0 then n else 1 end as part, percentile_cont(0.1) within group (order by price) as low,
             percentile_cont(0.9) within group (order by price) as high, mode() within group (order by price) as often
      from odds group by 1) as t
group by 1
order by 1;
