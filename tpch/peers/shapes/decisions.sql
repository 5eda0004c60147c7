-- What somebody asks who runs the shop of shop.sql, in the manner of decision-support benchmarks.

-- refunds-above-average: customers who got back more than 1.5 times what is usual in the shop, in 2023
with refunds as (
    select r.customer_id, r.shop_id, sum(r.refund) as refunded, count(*) as times
    from store_returns r
    join calendar c on c.day = r.returned_on
    where c.year = 2023
    group by r.customer_id, r.shop_id
)
select c.customer_id, c.first_name, c.last_name, s.name as shop, f.refunded, f.times
from refunds f
join shops s on s.shop_id = f.shop_id
join customers c on c.customer_id = f.customer_id
where f.refunded > (select 1.5 * avg(g.refunded) from refunds g where g.shop_id = f.shop_id)
  and s.state in ('AL', 'CA', 'FL', 'IL')
order by f.refunded desc, c.customer_id, s.name
limit 100;

-- growth-on-the-web: customers whose spending on the web grew more than their spending in stores, 2022 to 2023
with spent as (
    select c.customer_id, c.first_name, c.last_name, c.email, extract(year from s.sold_on) as year, 's' as channel,
           sum((s.unit_price - coalesce(s.discount, 0)) * s.quantity) as total
    from customers c join store_sales s on s.customer_id = c.customer_id
    where s.sold_on between date '2022-01-01' and date '2023-12-31'
    group by c.customer_id, c.first_name, c.last_name, c.email, extract(year from s.sold_on)
    union all
    select c.customer_id, c.first_name, c.last_name, c.email, extract(year from w.ordered_on), 'w', sum(w.paid)
    from customers c join web_sales w on w.customer_id = c.customer_id
    where w.ordered_on between date '2022-01-01' and date '2023-12-31'
    group by c.customer_id, c.first_name, c.last_name, c.email, extract(year from w.ordered_on)
)
select s2.customer_id, s2.first_name, s2.last_name, s2.email, s2.total as in_stores, w2.total as on_the_web
from spent s1
join spent s2 on s2.customer_id = s1.customer_id
join spent w1 on w1.customer_id = s1.customer_id
join spent w2 on w2.customer_id = s1.customer_id
where s1.channel = 's' and s1.year = 2022 and s2.channel = 's' and s2.year = 2023
  and w1.channel = 'w' and w1.year = 2022 and w2.channel = 'w' and w2.year = 2023
  and s1.total > 0 and w1.total > 0
  and w2.total / w1.total > s2.total / s1.total
order by s2.customer_id
limit 200;

-- top-shops-by-state: the two best shops of each state and quarter
select state, year, quarter, place, name, revenue
from (
    select s.state, c.year, c.quarter, s.name, sum(f.paid) as revenue,
           rank() over (partition by s.state, c.year, c.quarter order by sum(f.paid) desc) as place
    from store_sales f
    join shops s on s.shop_id = f.shop_id
    join calendar c on c.day = f.sold_on
    where s.closed_on is null or s.closed_on > c.day
    group by s.state, c.year, c.quarter, s.name
) as ranked
where place <= 2
order by state, year, quarter, place, name;

-- share-of-class: what part of its class's revenue each product made in the spring of 2024, by catalog
select p.category, p.class, p.code, p.title, sum(s.paid) as revenue,
       100.0 * sum(s.paid) / sum(sum(s.paid)) over (partition by p.class) as percent_of_class
from catalog_sales s
join products p on p.product_id = s.product_id
where s.ordered_on between date '2024-03-01' and date '2024-05-31'
  and p.category in ('garden', 'sports', 'toys')
group by p.category, p.class, p.code, p.title
order by p.category, p.class, percent_of_class desc, p.code
limit 500;

-- channels-by-quarter: revenue, costs and margin of all channels side by side
with sold as (
    select 'store' as channel, sold_on as day, product_id, quantity, paid, cost * quantity as costs from store_sales
    union all
    select 'catalog', ordered_on, product_id, quantity, paid, cost * quantity from catalog_sales
    union all
    select 'web', ordered_on, product_id, quantity, paid, cost * quantity from web_sales
)
select p.category, c.year, c.quarter,
       sum(case when channel = 'store' then paid else 0 end) as store,
       sum(case when channel = 'catalog' then paid else 0 end) as catalog,
       sum(case when channel = 'web' then paid else 0 end) as web,
       sum(paid) - sum(costs) as margin,
       sum(quantity) as pieces,
       100.0 * sum(case when channel = 'web' then paid else 0 end) / sum(paid) as percent_web
from sold
join products p on p.product_id = sold.product_id
join calendar c on c.day = sold.day
group by p.category, c.year, c.quarter
order by p.category, c.year, c.quarter;

-- web-against-store: product by month, which of the two sold more; also what only one of them sold
with web as (
    select product_id, date_trunc('month', ordered_on)::date as month, sum(quantity) as pieces, sum(paid) as revenue
    from web_sales where ordered_on >= date '2024-01-01' group by 1, 2
), store as (
    select product_id, date_trunc('month', sold_on)::date as month, sum(quantity) as pieces, sum(paid) as revenue
    from store_sales where sold_on >= date '2024-01-01' group by 1, 2
)
select coalesce(web.month, store.month) as month,
       count(*) as goods,
       sum(case when web.product_id is null then 1 else 0 end) as only_in_stores,
       sum(case when store.product_id is null then 1 else 0 end) as only_on_the_web,
       sum(case when web.pieces > store.pieces then 1 else 0 end) as more_on_the_web,
       sum(coalesce(web.revenue, 0) - coalesce(store.revenue, 0)) as ahead
from web full join store on web.product_id = store.product_id and web.month = store.month
group by coalesce(web.month, store.month)
order by 1;

-- bought-everywhere: customers who bought in all three channels within the same quarter
select year, quarter, count(*) as customers
from (
    select s.customer_id, c.year, c.quarter from store_sales s join calendar c on c.day = s.sold_on
    intersect
    select s.buyer_id, c.year, c.quarter from catalog_sales s join calendar c on c.day = s.ordered_on
    intersect
    select s.customer_id, c.year, c.quarter from web_sales s join calendar c on c.day = s.ordered_on
) as everywhere
group by year, quarter
order by year, quarter;

-- only-in-stores: pairs of customer and class that stores have sold, and no other channel
select count(*) as pairs, count(distinct customer_id) as customers
from (
    select s.customer_id, p.class from store_sales s join products p on p.product_id = s.product_id
    where s.sold_on >= date '2024-07-01'
    except
    select s.buyer_id, p.class from catalog_sales s join products p on p.product_id = s.product_id
    except
    select s.customer_id, p.class from web_sales s join products p on p.product_id = s.product_id
) as exclusive;

-- rollup-margin: margin by category and class, with subtotals, each ranked among its kind
select sum(s.paid - s.cost * s.quantity) / sum(s.paid) * 100 as margin, p.category, p.class,
       grouping(p.category) + grouping(p.class) as level,
       rank() over (partition by grouping(p.category) + grouping(p.class),
                    case when grouping(p.class) = 0 then p.category end
                    order by sum(s.paid - s.cost * s.quantity) / sum(s.paid)) as place
from store_sales s
join products p on p.product_id = s.product_id
join shops h on h.shop_id = s.shop_id
where extract(year from s.sold_on) = 2023 and h.state in ('AL', 'AR', 'CA', 'CO', 'FL', 'GA')
group by rollup (p.category, p.class)
order by level desc, p.category, p.class;

-- grouping-sets: pieces and revenue by state, by payment, by month and in all
select h.state, s.payment, date_trunc('month', s.sold_on)::date as month, count(*) as lines, sum(s.quantity) as pieces,
       sum(s.paid) as revenue
from store_sales s
join shops h on h.shop_id = s.shop_id
group by grouping sets ((h.state, s.payment), (date_trunc('month', s.sold_on)::date), (h.state), ())
order by grouping(h.state), grouping(s.payment), h.state, s.payment, month;

-- cube-of-the-web: sessions and revenue by device, segment and season, all ways
select w.device, c.segment, d.season, count(distinct w.order_no) as orders, sum(w.paid) as revenue,
       avg(w.session_seconds) as seconds
from web_sales w
join customers c on c.customer_id = w.customer_id
join calendar d on d.day = w.ordered_on
group by cube (w.device, c.segment, d.season)
order by grouping(w.device), grouping(c.segment), grouping(d.season), w.device, c.segment, d.season;

-- customers-by-month: how many customers, orders and products there were each month
select date_trunc('month', sold_at)::date as month, count(distinct customer_id) as customers,
       count(distinct receipt_no) as receipts, count(distinct product_id) as goods, sum(paid) as revenue,
       sum(paid) / count(distinct receipt_no) as per_receipt
from store_sales
group by date_trunc('month', sold_at)::date
order by month;

-- profile-of-many-channels: who are the customers that bought in a store and, the same half-year, on the web or by catalog?
select c.gender, c.segment, c.household, count(*) as customers, min(c.income) as least, max(c.income) as most,
       avg(c.income) as average
from customers c
join addresses a on a.address_id = c.address_id
where a.state in ('AL', 'CA', 'GA', 'IL', 'KS', 'MD')
  and exists (select 1 from store_sales s
              where s.customer_id = c.customer_id and s.sold_on between date '2023-01-01' and date '2023-06-30')
  and (exists (select 1 from web_sales w
               where w.customer_id = c.customer_id and w.ordered_on between date '2023-01-01' and date '2023-06-30')
    or exists (select 1 from catalog_sales k
               where k.buyer_id = c.customer_id and k.ordered_on between date '2023-01-01' and date '2023-06-30'))
group by c.gender, c.segment, c.household
order by c.gender, c.segment, c.household;

-- customers-lost: bought for more than 500 in 2022, and nothing anywhere in the eighteen months that followed their last order
with last_order as (
    select customer_id, max(sold_on) as day, sum(paid) as spent
    from store_sales
    where sold_on < date '2023-01-01'
    group by customer_id
    having sum(paid) > 500
)
select c.segment, count(*) as lost, sum(l.spent) as spent, avg(date '2023-01-01' - l.day) as days_before_the_year
from last_order l
join customers c on c.customer_id = l.customer_id
where l.day >= date '2022-01-01'
  and not exists (select * from store_sales s where s.customer_id = l.customer_id
                  and s.sold_on > l.day and s.sold_on <= l.day + interval '18 months')
  and not exists (select * from web_sales w where w.customer_id = l.customer_id
                  and w.ordered_on > l.day and w.ordered_on <= l.day + interval '18 months')
  and not exists (select * from catalog_sales k where k.buyer_id = l.customer_id
                  and k.ordered_on > l.day and k.ordered_on <= l.day + interval '18 months')
group by c.segment
order by c.segment;

-- weekdays-of-shops: revenue of each shop on each weekday
select h.name, h.shop_id,
       sum(case when c.weekday_name = 'Monday' then s.paid end) as monday,
       sum(case when c.weekday_name = 'Tuesday' then s.paid end) as tuesday,
       sum(case when c.weekday_name = 'Wednesday' then s.paid end) as wednesday,
       sum(case when c.weekday_name = 'Thursday' then s.paid end) as thursday,
       sum(case when c.weekday_name = 'Friday' then s.paid end) as friday,
       sum(case when c.weekday_name = 'Saturday' then s.paid end) as saturday,
       sum(case when c.weekday_name = 'Sunday' then s.paid end) as sunday
from store_sales s
join calendar c on c.day = s.sold_on
join shops h on h.shop_id = s.shop_id
where c.year in (2023, 2024) and not c.is_free
group by h.name, h.shop_id
order by h.name, h.shop_id;

-- baskets: pairs of products that customers have bought together, on one receipt, in the last half-year
select a.product_id as one, b.product_id as other, count(*) as receipts, min(a.sold_on) as since
from store_sales a
join store_sales b on b.receipt_no = a.receipt_no and b.product_id > a.product_id
where a.sold_on >= date '2024-07-01' and b.sold_on >= date '2024-07-01'
group by a.product_id, b.product_id
having count(*) >= 12
order by receipts desc, one, other
limit 100;

-- moving-average: revenue a day by category, beside the mean of its week and its running total
select category, day, revenue,
       avg(revenue) over (partition by category order by day rows between 6 preceding and current row) as of_a_week,
       sum(revenue) over (partition by category order by day) as so_far,
       revenue - lag(revenue, 7) over (partition by category order by day) as since_last_week
from (
    select p.category, s.sold_on as day, sum(s.paid) as revenue
    from store_sales s join products p on p.product_id = s.product_id
    where s.sold_on >= date '2023-01-01'
    group by p.category, s.sold_on
) as daily
order by category, day;

-- first-and-last-purchase: by segment and year of the first purchase, how long customers stay and what they begin with
with numbered as (
    select s.customer_id, s.sold_at, s.product_id, s.paid,
           row_number() over (partition by s.customer_id order by s.sold_at, s.receipt_no, s.line) as n,
           count(*) over (partition by s.customer_id) as lines,
           max(s.sold_on) over (partition by s.customer_id) as last_day
    from store_sales s
    where s.customer_id is not null
)
select c.segment, extract(year from n.sold_at) as year, p.category, count(*) as customers,
       avg(n.last_day - n.sold_at::date) as days, avg(n.lines) as lines, sum(n.paid) as begun_with
from numbered n
join customers c on c.customer_id = n.customer_id
left join products p on p.product_id = n.product_id
where n.n = 1
group by c.segment, extract(year from n.sold_at), p.category
order by c.segment, year, p.category;

-- cohorts: of the customers who first ordered in a quarter, how many order again in the quarters after
with orders as (
    select customer_id, date_trunc('quarter', ordered_on)::date as quarter from web_sales where customer_id is not null
    union
    select buyer_id, date_trunc('quarter', ordered_on)::date from catalog_sales where buyer_id is not null
), firsts as (
    select customer_id, min(quarter) as first_quarter from orders group by customer_id
)
select f.first_quarter, o.quarter, count(*) as customers,
       100.0 * count(*) / max(count(*)) over (partition by f.first_quarter) as percent
from firsts f join orders o on o.customer_id = f.customer_id
group by f.first_quarter, o.quarter
order by f.first_quarter, o.quarter;

-- why-it-came-back: every web sale of autumn 2023 with what is known of its return; most know nothing
select coalesce(q.reason, 'none') as reason, coalesce(w.device, 'unknown') as device, count(*) as lines,
       count(r.order_no) as returns, count(r.comment) as comments, sum(coalesce(r.refund, 0)) as refunds,
       sum(w.paid) - sum(coalesce(r.refund, 0)) as kept, count(distinct a.state) as states
from web_sales w
left join web_returns r on r.order_no = w.order_no and r.line = w.line
left join reasons q on q.reason_id = r.reason_id
left join addresses a on a.address_id = w.ship_address_id
left join promotions o on o.promotion_id = w.promotion_id and o.medium <> 'tv'
where w.ordered_on between date '2023-09-01' and date '2023-11-30' and o.promotion_id is null
group by coalesce(q.reason, 'none'), coalesce(w.device, 'unknown')
order by reason, device;

-- goods-above-average: products that made more than three times what a product makes, and sold in most shops
select p.code, p.title, p.brand, sum(s.paid) as revenue, count(distinct s.shop_id) as shops
from store_sales s join products p on p.product_id = s.product_id
where s.sold_on between date '2024-01-01' and date '2024-06-30'
group by p.code, p.title, p.brand
having sum(s.paid) > (
    select 3 * avg(revenue)
    from (select sum(paid) as revenue from store_sales
          where sold_on between date '2024-01-01' and date '2024-06-30' group by product_id) as each)
   and count(distinct s.shop_id) > 20
order by revenue desc, p.code;

-- shipping-delays: how long catalog orders wait, by warehouse and way of shipping
select w.name, s.ship_mode, left(s.catalog, 3) as catalog,
       sum(case when s.shipped_on - s.ordered_on <= 3 then 1 else 0 end) as within_3_days,
       sum(case when s.shipped_on - s.ordered_on > 3 and s.shipped_on - s.ordered_on <= 10 then 1 else 0 end) as within_10_days,
       sum(case when s.shipped_on - s.ordered_on > 10 and s.shipped_on - s.ordered_on <= 20 then 1 else 0 end) as within_20_days,
       sum(case when s.shipped_on - s.ordered_on > 20 then 1 else 0 end) as longer,
       count(*) - count(s.shipped_on) as never
from catalog_sales s join warehouses w on w.warehouse_id = s.warehouse_id
where s.ship_mode in ('ground', 'courier', 'air')
  and s.catalog in ('SPR-2023-001', 'SPR-2023-002', 'SPR-2023-003', 'SUM-2023-001', 'SUM-2023-002', 'SUM-2023-003',
                    'AUT-2023-001', 'AUT-2023-002', 'AUT-2023-003', 'WIN-2023-001', 'WIN-2023-002', 'WIN-2023-003')
group by w.name, s.ship_mode, left(s.catalog, 3)
order by w.name, s.ship_mode, catalog;

-- words-in-texts: what customers who complain of something hard or broken have bought
select p.category, count(*) as returns, count(distinct r.customer_id) as customers, sum(r.refund) as refunds,
       sum(case when r.comment ilike '%REPAIR%' then 1 else 0 end) as repair,
       sum(case when p.description like '%easy to clean%' then 1 else 0 end) as said_to_be_easy
from web_returns r join products p on p.product_id = r.product_id
where (r.comment like '%hard%' or r.comment ilike '%BREAK%') and r.comment not like '%gift%'
  and p.title not like 'glass%'
group by p.category
order by returns desc, p.category;

-- quantiles-of-baskets: median and tails of what a receipt comes to, by kind of payment and state
select h.state, b.payment, count(*) as receipts,
       percentile_cont(0.5) within group (order by b.total) as median,
       percentile_cont(0.9) within group (order by b.total) as ninth_decile,
       percentile_disc(0.99) within group (order by b.total) as top,
       avg(b.total) as mean
from (
    select receipt_no, shop_id, payment, sum(paid)::double precision as total
    from store_sales
    where sold_on >= date '2023-07-01' and payment is not null
    group by receipt_no, shop_id, payment
) as b
join shops h on h.shop_id = b.shop_id
group by h.state, b.payment
order by h.state, b.payment;

-- uneven-stock: what varied most in one month, and again in the next
with monthly as (
    select w.name, s.warehouse_id, s.product_id, extract(year from s.counted_on) as year,
           extract(quarter from s.counted_on) as quarter, avg(s.on_hand) as mean, stddev_samp(s.on_hand) as deviation
    from stock s join warehouses w on w.warehouse_id = s.warehouse_id
    group by w.name, s.warehouse_id, s.product_id, extract(year from s.counted_on), extract(quarter from s.counted_on)
)
select a.name, a.product_id, a.year, a.quarter, a.mean, a.deviation / a.mean as uneven, b.mean as mean_after,
       b.deviation / b.mean as uneven_after
from monthly a
join monthly b on b.warehouse_id = a.warehouse_id and b.product_id = a.product_id and b.year = a.year
             and b.quarter = a.quarter + 1
where a.mean > 0 and b.mean > 0 and a.deviation / a.mean > 1.2 and b.deviation / b.mean > 1.2 and a.year = 2024
order by a.name, a.product_id, a.year, a.quarter;

-- brands-by-state: the brands that buyers of a state have in common, as a list
select a.state, count(*) as lines, count(distinct p.brand) as brands,
       string_agg(distinct p.category, ', ' order by p.category) as categories,
       max(p.brand) as last_brand, min(lower(c.last_name)) as first_name
from catalog_sales s
join customers c on c.customer_id = s.receiver_id
join addresses a on a.address_id = c.address_id
join products p on p.product_id = s.product_id
where s.ordered_on >= date '2024-06-01' and a.state is not null
group by a.state
order by a.state;

-- top-goods-by-class: the three best products of each class and year on the web, by pieces
with yearly as (
    select p.class, p.product_id, p.title, extract(year from w.ordered_on) as year, sum(w.quantity) as pieces,
           sum(w.paid) as revenue
    from web_sales w join products p on p.product_id = w.product_id
    group by p.class, p.product_id, p.title, extract(year from w.ordered_on)
)
select class, year, place, title, pieces, revenue
from (select y.*, row_number() over (partition by class, year order by pieces desc, revenue desc, product_id) as place
      from yearly y) as placed
where place <= 3
order by class, year, place;

-- last-orders: for each trade customer of some states, the two latest web orders
select c.customer_id, c.last_name, o.order_no, o.ordered_on, o.lines, o.total
from customers c
join addresses a on a.address_id = c.address_id
cross join lateral (
    select w.order_no, w.ordered_on, count(*) as lines, sum(w.paid) as total
    from web_sales w
    where w.customer_id = c.customer_id
    group by w.order_no, w.ordered_on
    order by w.ordered_on desc, w.order_no
    limit 2
) as o
where c.segment = 'trade' and a.state in ('AL', 'AR', 'CA')
order by c.customer_id, o.ordered_on desc, o.order_no;

-- stock-cover: stock at the end of each quarter (it does not add up over time) against what the quarter sold
with ends as (
    select date_trunc('quarter', counted_on)::date as quarter, max(counted_on) as counted_on from stock group by 1
), held as (
    select e.quarter, p.category, s.warehouse_id, sum(s.on_hand) as pieces
    from ends e join stock s on s.counted_on = e.counted_on join products p on p.product_id = s.product_id
    where s.on_hand > 0
    group by e.quarter, p.category, s.warehouse_id
), sold as (
    select date_trunc('quarter', k.ordered_on)::date as quarter, p.category, k.warehouse_id, sum(k.quantity) as pieces
    from catalog_sales k join products p on p.product_id = k.product_id
    group by 1, 2, 3
)
select h.quarter, h.category, sum(h.pieces) as held, sum(s.pieces) as sold,
       sum(h.pieces)::double precision / nullif(sum(s.pieces), 0) as cover
from held h left join sold s on s.quarter = h.quarter and s.category = h.category and s.warehouse_id = h.warehouse_id
group by h.quarter, h.category
order by h.quarter, h.category;

-- promoted-share: how much of the revenue of books and music came while something was promoted, by medium
select promoted.medium, promoted.revenue, everything.revenue as total,
       promoted.revenue / everything.revenue * 100 as percent
from (
    select o.medium, sum(s.paid) as revenue
    from store_sales s
    join promotions o on o.promotion_id = s.promotion_id
    join products p on p.product_id = s.product_id
    join shops h on h.shop_id = s.shop_id
    join customers c on c.customer_id = s.customer_id
    join addresses a on a.address_id = c.address_id
    where p.category in ('books', 'music') and s.sold_on between o.starts_on and o.ends_on and a.utc_offset = -5
      and extract(month from s.sold_on) = 12
    group by o.medium
) as promoted
cross join (
    select sum(s.paid) as revenue
    from store_sales s
    join products p on p.product_id = s.product_id
    join customers c on c.customer_id = s.customer_id
    join addresses a on a.address_id = c.address_id
    where p.category in ('books', 'music') and a.utc_offset = -5 and extract(month from s.sold_on) = 12
) as everything
order by promoted.medium;

-- returned-and-bought-again: sold in a store, brought back, and then ordered by catalog by the same customer
select p.category, h.state, count(*) as times, avg(s.quantity) as sold, avg(r.quantity) as returned,
       avg(k.quantity) as bought_again, stddev_samp(k.quantity) as deviation, avg(k.ordered_on - r.returned_on) as days
from store_sales s
join store_returns r on r.receipt_no = s.receipt_no and r.line = s.line and r.customer_id = s.customer_id
join catalog_sales k on k.buyer_id = r.customer_id and k.product_id = r.product_id
join products p on p.product_id = s.product_id
join shops h on h.shop_id = s.shop_id
where s.sold_on between date '2022-01-01' and date '2023-12-31' and k.ordered_on > r.returned_on
group by p.category, h.state
order by p.category, h.state;

-- deep-discounts: catalog lines sold for less than 0.8 times the product's mean price in the same ninety days
select p.brand, count(*) as lines, sum(s.list_price - s.unit_price) as given_away
from catalog_sales s join products p on p.product_id = s.product_id
where p.category = 'sports' and s.ordered_on between date '2024-02-01' and date '2024-04-30'
  and s.unit_price < (select 0.8 * avg(i.unit_price) from catalog_sales i
                      where i.product_id = s.product_id and i.ordered_on between date '2024-02-01' and date '2024-04-30')
group by p.brand
order by given_away desc, p.brand
limit 50;

-- year-to-date: revenue of each state since the first of January, day by day, beside the same day a year earlier
with daily as (
    select h.state, s.sold_on as day, sum(s.paid) as revenue
    from store_sales s join shops h on h.shop_id = s.shop_id
    group by h.state, s.sold_on
), running as (
    select state, day, sum(revenue) over (partition by state, extract(year from day) order by day) as so_far
    from daily
)
select n.state, n.day, n.so_far, l.so_far as last_year, 100.0 * n.so_far / l.so_far as percent
from running n left join running l on l.state = n.state and l.day = (n.day - interval '1 year')::date
where extract(year from n.day) in (2023, 2024) and extract(day from n.day) in (1, 15)
order by n.state, n.day;

-- opening-hours: how many lines the four half-hours around lunch have, in shops of a kind
select
    (select count(*)
     from store_sales s
     join shops h on h.shop_id = s.shop_id
     join customers c on c.customer_id = s.customer_id
     where extract(hour from s.sold_at) = 11 and extract(minute from s.sold_at) >= 30
       and c.household = 3 and h.floor_m2 > 2000) as h11,
    (select count(*)
     from store_sales s
     join shops h on h.shop_id = s.shop_id
     join customers c on c.customer_id = s.customer_id
     where extract(hour from s.sold_at) = 12 and extract(minute from s.sold_at) < 30
       and c.household = 3 and h.floor_m2 > 2000) as h12,
    (select count(*)
     from store_sales s
     join shops h on h.shop_id = s.shop_id
     join customers c on c.customer_id = s.customer_id
     where extract(hour from s.sold_at) = 12 and extract(minute from s.sold_at) >= 30
       and c.household = 3 and h.floor_m2 > 2000) as h12_30,
    (select count(*)
     from store_sales s
     join shops h on h.shop_id = s.shop_id
     join customers c on c.customer_id = s.customer_id
     where extract(hour from s.sold_at) = 13 and extract(minute from s.sold_at) < 30
       and c.household = 3 and h.floor_m2 > 2000) as h13;

-- spending-by-income: tenths of customers by income, and what each spends in all channels
with spent as (
    select customer_id, sum(paid) as paid
    from (
        select customer_id, paid from store_sales where sold_on >= date '2023-01-01'
        union all
        select buyer_id, paid from catalog_sales where ordered_on >= date '2023-01-01'
        union all
        select customer_id, paid from web_sales where ordered_on >= date '2023-01-01'
    ) as sold
    group by customer_id
), tenths as (
    select customer_id, income, ntile(10) over (order by income, customer_id) as tenth,
           case when birth_date < date '2024-12-31' - interval '60 years' then 'from 60'
                when birth_date < date '2024-12-31' - interval '35 years' then 'from 35'
                when birth_date is not null then 'younger' else 'unknown' end as age
    from customers where income is not null
)
select t.tenth, t.age, count(*) as customers, count(s.customer_id) as buyers, sum(s.paid) as spent, avg(s.paid) as each,
       min(t.income) as from_income, max(t.income) as to_income
from tenths t left join spent s on s.customer_id = t.customer_id
group by t.tenth, t.age
order by t.tenth, t.age;

-- where-visitors-come-from: hosts that refer to the shop, and what came of it
select lower(split_part(replace(w.referrer, 'https://', ''), '/', 1)) as host,
       extract(year from w.ordered_at) as year,
       count(*) as lines, count(distinct w.order_no) as orders, avg(length(w.referrer)) as length,
       sum(case when w.referrer like '%?id=1%' then w.paid else 0 end) as campaigns,
       max(w.session_seconds) as longest, sum(w.session_seconds) / 3600 as hours
from web_sales w
group by 1, 2
order by 1, 2;

-- price-bands: lines by bands of what was paid, and the discount that they had in percent
select floor(s.paid / 100) * 100 as from_price, count(*) as lines, sum(s.quantity) as pieces,
       avg(100 * s.discount / s.unit_price) as percent_off, mode() within group (order by p.category) as usual
from store_sales s join products p on p.product_id = s.product_id
where s.sold_on >= date '2023-01-01' and s.paid is not null and s.unit_price > 0
group by floor(s.paid / 100) * 100
order by from_price;

-- words-of-descriptions: which words stand in descriptions of what sold well, and how they sell
select word, count(*) as goods, sum(pieces) as pieces, avg(pieces) as each
from (
    select unnest(string_to_array(p.description, ' ')) as word, s.pieces
    from products p
    join (select product_id, sum(quantity) as pieces from web_sales group by product_id) as s on s.product_id = p.product_id
    where p.category <> 'food'
) as words
where length(word) > 3
group by word
having count(*) > 100
order by pieces desc, word
limit 40;

-- while-promoted: how many lines were sold while something was promoted in a medium, promoted themselves or not
select o.medium, c.season, count(*) as lines, sum(s.paid) as revenue, count(s.promotion_id) as promoted
from store_sales s
join promotions o on s.sold_on between o.starts_on and o.ends_on
join calendar c on c.day = s.sold_on
where o.percent_off >= 30 and s.paid > 300
group by o.medium, c.season
order by o.medium, c.season;

-- latest-purchases: the last line that each customer has bought, by category and week
select p.category, extract(week from l.sold_on) as week, count(*) as customers
from (
    select distinct on (customer_id) customer_id, sold_on, product_id
    from store_sales
    where customer_id is not null
    order by customer_id, sold_at desc, receipt_no desc, line desc
) as l
join products p on p.product_id = l.product_id
where l.sold_on >= date '2024-10-01'
group by 1, 2
order by 1, 2;

-- best-line-of-receipts: what share of a receipt its dearest line has, by number of lines
select lines, count(*) as receipts, avg(paid / total * 100) as percent
from (
    select s.receipt_no, s.paid, max(s.paid) over (partition by s.receipt_no) as most,
           sum(s.paid) over (partition by s.receipt_no) as total, count(*) over (partition by s.receipt_no) as lines
    from store_sales s
    where s.sold_on >= date '2024-01-01'
) as shares
where paid = most and total > 0
group by lines
order by lines;
